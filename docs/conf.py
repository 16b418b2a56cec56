"""How Sphinx builds the documentation: `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from neurallog_kernel import __version__

project = "NeuralLog"
author = "the NeuralLog project"
copyright = "Apache License 2.0"
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "docs.reference.extension",
]
exclude_patterns = ["_build", "playground", "**/.ipynb_checkpoints"]
templates_path = ["_templates"]
nitpicky = False

# Markdown, and notebooks as they are saved: nothing is run while the pages are built.
nb_execution_mode = "off"
nb_merge_streams = True
suppress_warnings = ["misc.highlighting_failure"]  # a magic among lines of Python is no Python
nb_ipywidgets_js = {}  # the default is two scripts from a CDN
smartquotes_action = "qe"  # quotes and dots; an option such as --hint keeps its two hyphens
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_allow_labels = False

# Docstrings: a single backtick means code, members come in the order of the source.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = "NeuralLog"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "a11y-high-contrast-light"  # comes with furo
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
# With the names of free fonts: a machine may have none by the name `monospace`, and then the marks
# under an error are at the wrong place.
MONOSPACE = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, Liberation Mono, monospace"
html_theme_options = {
    "navigation_with_keys": True,
    "top_of_page_buttons": [],
    "light_css_variables": {"color-code-background": "#f6f8fa", "font-stack--monospace": MONOSPACE},
    "dark_css_variables": {"color-code-background": "#1c2027"},
}
