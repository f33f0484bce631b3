// A form is sent once, however often its button is pressed; without this script the server does nothing twice.
for (const form of document.querySelectorAll('form[method=post]')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    form.setAttribute('aria-busy', 'true')
  })
}
// A page that is come back to by the browser's history may be sent again.
window.addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent
    form.removeAttribute('aria-busy')
  }
})
