"""docs/site/conf.py: Sphinx configuration of the site, used by scripts/site.sh.

The build downloads nothing: theme, scripts and fonts come from system packages.
"""

import os
import re
from html import escape
from pathlib import Path

from docutils.nodes import SkipNode, entry

root = Path(os.environ["VOLTERRA_ROOT"])
work = Path(os.environ["VOLTERRA_SITE_WORK"])

project = "volterra"
author = "volterra developers"
release = re.search(r"project\(\s*volterra\s+VERSION\s+([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]
version = release
html_title = f"volterra {release}"

extensions = ["breathe", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# ---- documents ----------------------------------------------------------------------------------
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 6
myst_dmath_double_inline = True
highlight_language = "none"
smartquotes_action = "D"  # convert dashes, keep quotes

# ---- C reference --------------------------------------------------------------------------------
breathe_projects = {"volterra": str(work / "xml")}
breathe_default_project = "volterra"
breathe_domain_by_extension = {"h": "c"}
breathe_show_define_initializer = True
breathe_show_include = False

# ---- Python reference ---------------------------------------------------------------------------
import volterra  # noqa: E402, F401 - before the packages below are replaced

autodoc_mock_imports = ["pandas", "sklearn", "sktime"]
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
napoleon_use_ivar = True
napoleon_use_rtype = False
default_role = "py:obj"
add_module_names = False

# ---- pages --------------------------------------------------------------------------------------
html_theme = "furo"
html_static_path = [str(Path(__file__).parent / "static"), str(work / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5e8c", "color-brand-content": "#1b5e8c"},
    "dark_css_variables": {"color-brand-primary": "#7ab8e0", "color-brand-content": "#7ab8e0"},
}


# ---- formulas: KaTeX renders them in the browser -------------------------------------------------
html_math_renderer = "katex"


def visit_formula(self, node):
    self.body.append(self.starttag(node, "span", escape(node.astext(), quote=False), CLASS="math inline") + "</span>")
    raise SkipNode


def visit_display(self, node):
    self.body.append(self.starttag(node, "div", escape(node.astext(), quote=False), CLASS="math display") + "</div>\n")
    raise SkipNode


def add_formula_scripts(app, pagename, templatename, context, doctree):
    if app.env.get_domain("math").has_equations(pagename):
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.min.js")
        app.add_js_file("formulas.js")


# ---- tables -------------------------------------------------------------------------------------
def mark_figures(app, doctree):
    """Marks cells with one number, such as "4.2 s", or one date. site.css keeps them on one line."""
    for cell in doctree.findall(entry):
        if re.fullmatch(r"[-+.,\d]+( \w{1,5})?", cell.astext()):
            cell["classes"].append("figure-cell")


def setup(app):
    app.add_html_math_renderer("katex", (visit_formula, None), (visit_display, None))
    app.connect("html-page-context", add_formula_scripts)
    app.connect("doctree-read", mark_figures)
