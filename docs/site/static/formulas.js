/* docs/site/static/formulas.js: set the formulas of a page. */
document.addEventListener("DOMContentLoaded", () => {
    for (const node of document.querySelectorAll(".math")) {
        katex.render(node.textContent, node, {displayMode: node.classList.contains("display"), throwOnError: false});
    }
});
