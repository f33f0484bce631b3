"""The staff console: see, understand, act, prove. `pages` lists every page; `doorway` lets people in."""
