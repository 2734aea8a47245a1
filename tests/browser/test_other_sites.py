"""What a page of another site does in the browser of somebody who has signed in to the console: nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from ragbase import Client
from tests.browser.conftest import Console
from tests.browser.site import Site
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


ATTEMPTS = """
async ([api, id]) => {
  const tried = {};
  const attempt = async (name, path, options) => {
    const wanted = { credentials: "include", ...options };
    tried[name] = await fetch(api + path, wanted).then((answer) => `${answer.type} ${answer.status}`, () => "refused");
  };
  const text = { "Content-Type": "text/plain" };
  const form = new FormData();
  form.append("file", new File(["A page of another site has planted this document here."], "planted.md"));
  await attempt("read", "/api/documents");
  await attempt("delete", `/api/documents/${id}`, { method: "DELETE" });
  await attempt("upload", "/api/documents", { method: "POST", body: form });
  await attempt("upload blindly", "/api/documents", { method: "POST", body: form, mode: "no-cors" });
  const blindly = { method: "POST", headers: text, mode: "no-cors" };
  await attempt("ask blindly", "/api/query", { ...blindly, body: '{"query": "?"}' });
  await attempt("sign out", "/api/session", { method: "DELETE" });
  await attempt("sign in blindly", "/api/session", { ...blindly, body: '{"secret": "x"}' });
  return tried;
}
"""
"""What scripts can try. What is done blindly needs no leave of the server. Its page would see nothing of the answer,
and as the answer is for pages of its own origin alone, its browser says that there is none."""


def test_a_page_of_another_site_does_nothing_with_a_sign_in(browser: Browser, tmp_path: Path, site: Site) -> None:
    """It is on the same machine: to a browser it is of the same site, so that the cookie is sent with its requests."""
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        token = str(server.profile.access.sign_in(PASSWORD, "127.0.0.1").token)
        with Client(server.url, token) as client:
            id = client.wait(
                client.upload(b"# Kept\n\nThis document stays where it is, whatever others try.", path="a.md").id
            ).id
        context = browser.new_context()
        console = Console(context.new_page(), server.url)
        console.open("documents")
        console.page.get_by_label("Password or API key").fill(PASSWORD)
        console.page.keyboard.press("Enter")
        console.page.locator(".row").wait_for()

        page = context.new_page()
        site.page = (
            {"Content-Type": "text/html"},
            f"<!doctype html><title>Prizes</title><iframe src='{server.url}'></iframe>"
            f"<form method=post enctype=multipart/form-data action='{server.url}/api/documents'>"
            "<button>Win</button></form>",
        )
        page.goto(site.origin)
        tried = page.evaluate(ATTEMPTS, [server.url, id])
        assert len(tried) == 7 and set(tried.values()) == {"refused"}, tried
        # No frame shows the console, so nobody's click is led there.
        assert all("Documents" not in (frame.text_content("body") or "") for frame in page.frames[1:])
        with page.expect_navigation():
            page.get_by_role("button", name="Win").click()
        expect(page.locator("body")).to_contain_text("counts only on the pages of this server")

        console.page.reload()
        expect(console.page.locator(".row")).to_have_count(1)
        with Client(server.url, token) as client:
            assert [one.id for one in client.list()] == [id]
        context.close()
    assert console.faults == []
