"""The page in the browser, its JSON interface, and tools for agents: `threesil serve`, `mcp`.

app          the application
settings     what it may do
connections  how it treats clients
agents       the server for agents
"""
