// The palette: Ctrl+K (or ⌘K) on any page of a company finds people, courses, acts and pages while one types.
// Without this script the search in the header leads to a page with the same results.

const PALETTE_WAITS = 150

class Palette {
  constructor(dialog) {
    this.dialog = dialog
    this.form = dialog.querySelector('form')
    this.words = dialog.querySelector('input[name=q]')
    this.found = dialog.querySelector('[role=listbox]')
    this.status = dialog.querySelector('[role=status]')
    this.at = -1
    this.words.addEventListener('input', () => this.later())
    this.words.addEventListener('keydown', (event) => this.key(event))
    this.form.addEventListener('submit', (event) => this.send(event))
    this.form.querySelector('button').addEventListener('click', () => dialog.close())
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close() })
    dialog.addEventListener('close', () => { this.asking?.abort(); this.words.value = ''; this.list('') })
  }

  open(words = '') {
    if (this.dialog.open) return
    this.words.value = words
    this.dialog.showModal()
    this.words.focus()
    this.ask()
  }

  later() {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.ask(), PALETTE_WAITS)
  }

  async ask() {
    this.asking?.abort()
    const asking = this.asking = new AbortController()
    const sent = new URLSearchParams(new FormData(this.form))
    sent.set('palette', '1')
    try {
      const answer = await fetch(this.form.action, { method: 'POST', body: sent, signal: asking.signal })
      if (answer.redirected) return location.assign(answer.url) // to the person of an identifier, or to the sign-in
      if (!answer.ok) throw new Error(answer.statusText)
      const text = await answer.text()
      if (!asking.signal.aborted) this.list(text)
    } catch (error) {
      if (error.name === 'AbortError') return
      this.list('')
      this.status.textContent = this.status.dataset.failed
    }
  }

  list(text) {
    this.found.innerHTML = text
    const said = this.found.querySelector('template')
    this.status.textContent = said ? said.content.textContent : ''
    said?.remove()
    this.options = [...this.found.querySelectorAll('[role=option]')]
    this.choose(this.words.value.trim() && this.options.length ? 0 : -1)
  }

  choose(at) {
    this.at = at
    this.options.forEach((option, number) => option.setAttribute('aria-selected', String(number === at)))
    const chosen = this.options[at]
    if (chosen) {
      this.words.setAttribute('aria-activedescendant', chosen.id)
      chosen.scrollIntoView({ block: 'nearest' })
    } else this.words.removeAttribute('aria-activedescendant')
  }

  key(event) {
    const last = this.options.length - 1
    if (event.key === 'ArrowDown') this.choose(this.at >= last ? 0 : this.at + 1)
    else if (event.key === 'ArrowUp') this.choose(this.at <= 0 ? last : this.at - 1)
    else return
    event.preventDefault()
  }

  send(event) {
    const chosen = this.options[this.at]
    if (!chosen) return // the page lists everything
    event.preventDefault()
    if (chosen.href) location.assign(chosen.href)
  }
}

const dialog = document.querySelector('#palette')
if (dialog) {
  const palette = new Palette(dialog)
  const box = document.querySelector('#search-all')
  const apple = /Mac|iPhone|iPad/.test(navigator.platform)
  box.placeholder = apple ? box.dataset.keysOfApple : box.dataset.keys
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
    event.preventDefault()
    palette.open()
  })
  box.addEventListener('click', () => palette.open(box.value))
}
