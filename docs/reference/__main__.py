"""`python -m docs.reference`: bring what the README has from the code up to date."""

from docs.reference.tutorials import write_readme

write_readme()
