"""docs/site/check_site.py: check that all internal links of the built site work and that no page loads external resources.

    check_site.py SITE

Links to other sites are not checked, so no network is required.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for key in ("src", "href") if tag == "link" else ("src",):
            if values.get(key) and values.get("rel") != "canonical":
                self.loads.append(values[key])


def main():
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in site.rglob("*.html")}
    faults, followed = [], 0
    for path, page in pages.items():
        here = path.relative_to(site)
        for link in page.loads:
            if urlparse(link).scheme not in ("", "data") or link.startswith("//"):
                faults.append(f"{here}: loads external resource {link}")
            elif not link.startswith("data:") and not (path.parent / unquote(urlparse(link).path)).exists():
                faults.append(f"{here}: {link} not found")
        for link in page.links:
            if urlparse(link).scheme or link.startswith("//"):
                continue
            followed += 1
            file, anchor = urldefrag(link)
            target = (path.parent / unquote(urlparse(file).path)).resolve() if file else path
            if not target.exists():
                faults.append(f"{here}: dead link {link}")
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                faults.append(f"{here}: {link}: anchor not found")
    print(*sorted(set(faults)), sep="\n", end="\n" if faults else "")
    print(f"{len(pages)} pages, {followed} links, {len(set(faults))} dead")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
