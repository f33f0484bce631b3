// Displays on the page why a passkey was not made or used; allauth's script leaves it to the console of the browser.
document.addEventListener('allauth.error', (event) => {
  event.preventDefault()
  const words = document.getElementById('passkey_failed')
  const reasons = { InvalidStateError: words.dataset.there, SecurityError: words.dataset.place }
  words.dataset.other ??= words.textContent
  words.textContent = reasons[event.detail.exception.name] ?? words.dataset.other
  words.hidden = false
})

// Before allauth's scripts listen, which they do from this event on, a press would do nothing and say nothing.
document.addEventListener('DOMContentLoaded', () => {
  document.querySelectorAll('#passkey_add, #passkey_use').forEach((button) => { button.disabled = false })
})
