import sys

from threesil.cli import main

sys.exit(main())
