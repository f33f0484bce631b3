"""The staff console (issue 8): see, understand, act, prove. `pages` lists every page; `doorway` lets people in."""
