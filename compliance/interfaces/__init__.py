"""All that users and programs outside call: the API, the console, public pages, commands."""
