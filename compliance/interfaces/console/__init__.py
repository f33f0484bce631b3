"""The staff console: see, understand, act, prove. `pages` lists every page; `page_view` lets people in."""
