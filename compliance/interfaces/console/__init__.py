"""The staff console. `pages` lists every page; `page_view` checks who may open it."""
