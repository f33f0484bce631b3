// The editor of a policy: what is typed or pasted holds the marks that a policy may hold, and no others.
"use strict";
(() => {
  const kept = new Set([
    "H1", "H2", "H3", "H4", "P", "UL", "OL", "LI", "BLOCKQUOTE", "STRONG", "EM", "A", "CODE", "PRE", "BR", "HR",
    "TABLE", "CAPTION", "THEAD", "TBODY", "TFOOT", "TR", "TH", "TD",
  ]);
  const renamed = { B: "strong", I: "em", H5: "h4", H6: "h4", DIV: "p", DT: "p", DD: "p" };
  const dropped = new Set([
    "SCRIPT", "STYLE", "IFRAME", "OBJECT", "EMBED", "TEMPLATE", "NOSCRIPT", "SVG", "MATH", "IMG", "VIDEO", "AUDIO",
    "TITLE", "META", "LINK", "S", "DEL", "STRIKE", "TEXTAREA", "SELECT", "BUTTON", "INPUT",
  ]);
  const blocks = "h1,h2,h3,h4,p,ul,ol,li,blockquote,pre,hr,table";

  // A copy of `source`'s content with allowed marks alone. Nothing of it is ever in the page before it is copied.
  function copy(source, into) {
    for (const node of source.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) into.append(node.data);
      if (node.nodeType !== Node.ELEMENT_NODE || dropped.has(node.nodeName.toUpperCase())) continue;
      const name = node.nodeName.toUpperCase();
      const holdsBlocks = name === "DIV" && node.querySelector(blocks + ",div");
      const tag = holdsBlocks ? "" : renamed[name] || (kept.has(name) ? name.toLowerCase() : "");
      const link = name === "A" ? node.getAttribute("href") || "" : "";
      if (!tag || (name === "A" && !/^(https?:\/\/|mailto:)\S/i.test(link))) {
        copy(node, into);
        continue;
      }
      const made = document.createElement(tag);
      if (link) made.setAttribute("href", link);
      for (const number of ["start", "colspan", "rowspan"]) {
        if (/^\d{1,4}$/.test(node.getAttribute(number) || "") && /^(OL|TD|TH)$/.test(name)) {
          made.setAttribute(number, node.getAttribute(number));
        }
      }
      copy(node, made);
      into.append(made);
    }
    return into;
  }

  // Looks and handlers are taken out before the text is parsed: the page's policy refuses each of them, and says so.
  const plain = (text) => text.replace(/\s(?:style|on\w+)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, "").replace(/<style[\s\S]*?<\/style>/gi, "");
  const read = (text) => copy(new DOMParser().parseFromString(plain(text), "text/html").body, document.createDocumentFragment());

  for (const frame of document.querySelectorAll("[data-editor]")) {
    const source = frame.querySelector("textarea");
    if (source.value.trim() && !source.value.trim().startsWith("<")) continue; // Markdown stays as it was written
    const sheet = document.createElement("div");
    sheet.className = "sheet document";
    sheet.contentEditable = "true";
    sheet.tabIndex = 0;
    sheet.setAttribute("role", "textbox");
    sheet.setAttribute("aria-multiline", "true");
    sheet.setAttribute("aria-label", frame.dataset.label);
    const described = source.getAttribute("aria-describedby");
    if (described) sheet.setAttribute("aria-describedby", described);
    sheet.append(read(source.value.trim() || "<p><br></p>"));
    if (!source.value.trim()) { // the first line that is written is the title
      sheet.addEventListener("input", () => document.execCommand("formatBlock", false, "h1"), { once: true });
    }
    frame.append(frame.querySelector("template").content.cloneNode(true), sheet);
    source.hidden = true;
    const label = document.querySelector(`label[for="${source.id}"]`);
    if (label) label.addEventListener("click", () => sheet.focus());
    document.execCommand("defaultParagraphSeparator", false, "p");
    document.execCommand("styleWithCSS", false, false);

    let place = null;
    document.addEventListener("selectionchange", () => {
      const found = document.getSelection();
      if (found.rangeCount && sheet.contains(found.anchorNode)) place = found.getRangeAt(0);
    });
    const returned = () => {
      sheet.focus();
      if (!place) return;
      document.getSelection().removeAllRanges();
      document.getSelection().addRange(place);
    };

    const tools = frame.querySelector(".tools");
    tools.addEventListener("mousedown", (event) => {
      if (event.target.closest("button")) event.preventDefault(); // the selection stays where it is
    });
    tools.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      returned();
      if (button.dataset.block) document.execCommand("formatBlock", false, button.dataset.block);
      else if (button.dataset.mark) document.execCommand(button.dataset.mark, false);
      else {
        const address = tools.querySelector("[data-address]");
        if (/^(https?:\/\/|mailto:)\S+$/i.test(address.value.trim())) {
          document.execCommand("createLink", false, address.value.trim());
          address.value = "";
        } else address.focus();
      }
    });
    tools.querySelector("[data-address]").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      tools.querySelector("[data-link]").click();
    });

    sheet.addEventListener("paste", (event) => {
      event.preventDefault();
      const pasted = event.clipboardData.getData("text/html");
      if (!pasted) {
        document.execCommand("insertText", false, event.clipboardData.getData("text/plain"));
        return;
      }
      const holder = document.createElement("div");
      holder.append(read(pasted));
      document.execCommand("insertHTML", false, holder.innerHTML);
    });
    sheet.addEventListener("drop", (event) => event.preventDefault());
    source.form.addEventListener("submit", () => {
      const holder = document.createElement("div");
      copy(sheet, holder);
      source.value = holder.textContent.trim() ? holder.innerHTML : "";
    });
  }
})();
