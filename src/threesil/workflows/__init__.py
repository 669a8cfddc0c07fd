"""What a user asks for, as plain functions with progress and cancellation."""
