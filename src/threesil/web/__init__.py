"""The page in the browser, and the JSON interface that it uses: `threesil serve`.

app          the application
settings     what it may do
connections  how it treats clients
"""
