// The chart of weeks tells its values: under the pointer, or by the keyboard with its slider. They come from the table of
// weeks below it, and lead where that leads; without this script the table is there.
for (const chart of document.querySelectorAll('figure.chart')) {
  const weeks = [...chart.parentElement.querySelectorAll('table.weeks tbody tr')].reverse()
  const [plot, at] = [chart.querySelector('.plot'), chart.querySelector('.at')]
  if (!weeks.length || !at) continue
  const [slider, readout, marker] = [at.querySelector('input'), at.querySelector('.readout'), plot.querySelector('.marker')]
  const width = plot.viewBox.baseVal.width

  const show = (number) => {
    const [day, required, done, share] = weeks[number].cells
    const x = weeks.length > 1 ? number * width / (weeks.length - 1) : 0
    marker.setAttribute('x1', x)
    marker.setAttribute('x2', x)
    marker.setAttribute('visibility', 'visible')
    const words = `${day.textContent.trim()}: ${done.textContent.trim()} / ${required.textContent.trim()}, ${share.textContent.trim()}`
    slider.setAttribute('aria-valuetext', words)
    const when = document.createElement('b')
    when.textContent = day.textContent.trim()
    readout.replaceChildren(when, ' ', done.firstElementChild.cloneNode(true), ' / ', required.firstElementChild.cloneNode(true), ` (${share.textContent.trim()})`)
  }
  const under = (event) => {
    const box = plot.getBoundingClientRect()
    const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1)
    return Math.round(part * (weeks.length - 1))
  }

  slider.addEventListener('input', () => show(Number(slider.value)))
  plot.addEventListener('pointermove', (event) => {
    slider.value = under(event)
    show(Number(slider.value))
  })
  plot.addEventListener('click', (event) => weeks[under(event)].cells[2].firstElementChild.click())
  at.hidden = false
  show(weeks.length - 1)
}
