// Says on the page when a passkey was not made or used; allauth's script leaves it to the console of the browser.
document.addEventListener('allauth.error', (event) => {
  event.preventDefault()
  const words = document.getElementById('passkey_failed')
  const error = event.detail.exception
  words.textContent = error.name === 'InvalidStateError'
    ? 'This device has a passkey for your account already.'
    : error.name === 'SecurityError'
      ? 'Passkeys work at a host name with https (or at localhost), not at this address.'
      : 'No passkey was used. Try again.'
  words.hidden = false
})

// Before allauth's scripts listen, which they do from this event on, a press would do nothing and say nothing.
document.addEventListener('DOMContentLoaded', () => {
  document.querySelectorAll('#passkey_add, #passkey_use').forEach((button) => { button.disabled = false })
})
