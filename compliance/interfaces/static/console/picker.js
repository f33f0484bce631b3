// A picker: while somebody types, what fits is offered below the box, and what is picked stands above it.
// Without this script the box is an ordinary one: the words are posted, and the form comes back with what they could mean.

const PICKER_WAITS = 140

class Picker {
  constructor(root) {
    this.root = root
    this.many = 'many' in root.dataset
    this.box = root.querySelector('input[type=text]')
    this.picked = root.querySelector('.picked')
    this.asked = 0
    this.options = []
    this.at = -1
    this.list = document.createElement('ul')
    this.list.id = `${this.box.id}_options`
    this.list.className = 'options'
    this.list.setAttribute('role', 'listbox')
    this.list.setAttribute('aria-label', this.box.placeholder)
    this.list.hidden = true
    this.status = document.createElement('p')
    this.status.className = 'hidden'
    this.status.setAttribute('role', 'status')
    this.box.after(this.list, this.status)
    for (const [name, value] of [['role', 'combobox'], ['aria-autocomplete', 'list'], ['aria-expanded', 'false'], ['aria-controls', this.list.id]]) {
      this.box.setAttribute(name, value)
    }
    for (const item of this.picked.querySelectorAll('li')) this.dress(item)
    this.box.addEventListener('input', () => this.later())
    this.box.addEventListener('focus', () => { if (!this.box.value && 'open' in root.dataset) this.later() })
    this.box.addEventListener('keydown', (event) => this.key(event))
    this.box.addEventListener('blur', () => this.close())
    this.box.addEventListener('paste', (event) => this.paste(event))
    // Pressing on the list would take the focus away from the box, and close the list before it is clicked.
    this.list.addEventListener('mousedown', (event) => event.preventDefault())
    this.list.addEventListener('click', (event) => {
      const option = event.target.closest('[role=option]')
      if (option) this.pick(this.options[[...this.list.children].indexOf(option)])
    })
  }

  later() {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.ask(), PICKER_WAITS)
  }

  async ask() {
    const words = this.box.value.trim()
    const asked = ++this.asked
    if (words.length < 2 && !('open' in this.root.dataset)) return this.close()
    const sent = new FormData()
    sent.append('q', words)
    sent.append('csrfmiddlewaretoken', this.box.form.elements.csrfmiddlewaretoken.value)
    let answer
    try {
      const response = await fetch(this.root.dataset.address, {method: 'POST', body: sent})
      answer = response.ok && response.headers.get('Content-Type').startsWith('application/json') ? await response.json() : null
    } catch { answer = null }
    // An answer that comes too late, or none: the words are resolved when the form is sent.
    if (asked !== this.asked || !answer || document.activeElement !== this.box) return
    this.offer(answer, words)
  }

  offer(answer, words) {
    const have = new Set([...this.picked.querySelectorAll('input')].map((each) => each.value))
    this.options = answer.found.filter((each) => !this.many || !have.has(each.id))
    this.list.replaceChildren(...this.options.map((each, number) => {
      const option = document.createElement('li')
      option.id = `${this.list.id}_${number}`
      option.setAttribute('role', 'option')
      option.setAttribute('aria-selected', 'false')
      option.append(...this.named(each))
      return option
    }))
    const none = !this.options.length
    this.root.classList.toggle('nothing', none && words !== '')
    this.status.textContent = none ? this.root.dataset.none : answer.more ? this.root.dataset.more : String(this.options.length)
    if (none) {
      const line = document.createElement('li')
      line.className = 'soft'
      line.setAttribute('role', 'option')
      line.setAttribute('aria-disabled', 'true')
      line.setAttribute('aria-selected', 'false')
      line.textContent = this.root.dataset.none
      this.list.append(line)
    }
    this.list.hidden = none && words === ''
    this.box.setAttribute('aria-expanded', String(!this.list.hidden))
    this.go(none ? -1 : 0)
  }

  named(each) {
    const label = document.createElement('bdi')
    label.textContent = each.label
    if (!each.detail) return [label]
    const detail = document.createElement('bdi')
    detail.textContent = each.detail
    const soft = document.createElement('span')
    soft.className = 'soft small'
    soft.append(detail)
    return [label, ' ', soft]
  }

  go(number) {
    this.at = number
    for (const [each, option] of [...this.list.children].entries()) option.setAttribute('aria-selected', String(each === number))
    if (number < 0) return this.box.removeAttribute('aria-activedescendant')
    this.box.setAttribute('aria-activedescendant', this.list.children[number].id)
    this.list.children[number].scrollIntoView({block: 'nearest'})
  }

  key(event) {
    const open = !this.list.hidden && this.options.length > 0
    if (event.key === 'ArrowDown' && !open) { event.preventDefault(); return this.ask() }
    if (event.key === 'Escape' && !this.list.hidden) { event.preventDefault(); return this.close() }
    if (event.key === 'Backspace' && !this.box.value && this.many) return this.picked.lastElementChild?.querySelector('button')?.click()
    if (!open) return
    if (event.key === 'Enter' && this.at >= 0) { event.preventDefault(); this.pick(this.options[this.at]) }
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (step) { event.preventDefault(); this.go((this.at + step + this.options.length) % this.options.length) }
  }

  // Lines of a list that was copied from a sheet: a box of one line would run them together.
  paste(event) {
    const text = event.clipboardData?.getData('text') ?? ''
    if (!this.many || !/[\r\n]/.test(text.trim())) return
    event.preventDefault()
    this.box.setRangeText(text.trim().split(/[\r\n]+/).map((each) => each.trim()).filter(Boolean).join('; '), this.box.selectionStart, this.box.selectionEnd, 'end')
    this.close()
  }

  pick(each) {
    if (!each) return
    const item = document.createElement('li')
    const value = document.createElement('input')
    value.type = 'hidden'
    value.name = this.root.dataset.name
    value.value = each.id
    item.append(value, ...this.named(each))
    for (const box of this.root.querySelectorAll('.unclear')) box.remove()
    if (!this.many) this.picked.replaceChildren()
    this.picked.append(item)
    this.dress(item)
    this.box.value = ''
    this.close()
    this.box.focus()
  }

  // What is picked bears a button that takes it away; the box or circle that the page brought goes.
  dress(item) {
    const label = item.querySelector('label')
    if (label) {
      label.querySelector('input').type = 'hidden'
      label.replaceWith(...label.childNodes)
    }
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = '×'
    button.setAttribute('aria-label', `${this.root.dataset.remove}: ${item.querySelector('bdi').textContent}`)
    button.addEventListener('click', () => { item.remove(); this.show(); this.box.focus() })
    item.append(button)
    this.show()
  }

  show() { this.picked.hidden = !this.picked.children.length }

  close() {
    clearTimeout(this.timer)
    this.asked++
    this.options = []
    this.list.hidden = true
    this.list.replaceChildren()
    this.box.setAttribute('aria-expanded', 'false')
    this.go(-1)
  }
}

for (const root of document.querySelectorAll('.picker')) new Picker(root)
