import { effect } from '@preact/signals'
import { render } from 'preact'
import { followClock } from './app/clock-state.tsx'
import { followLinks } from './app/history.ts'
import { followKeys } from './app/keyboard.tsx'
import { type PageComponents, Shell } from './app/shell.tsx'
import { setTheme, theme } from './app/theme.ts'
import { connectChanges } from './data/changes.ts'
import { loadSession, session } from './data/session.ts'
import { OverviewPage } from './overview/overview-page.tsx'
import { TimelinePage } from './timeline/timeline-page.tsx'

const components: PageComponents = {
  overview: OverviewPage,
  timeline: TimelinePage,
}

setTheme(theme.value)
followLinks()
followKeys()
render(<Shell components={components} />, document.querySelector('#app') as Element)
// Once there is a session, also after a first attempt that failed.
const stop = effect(() => {
  if (!session.value) return
  queueMicrotask(() => {
    stop()
    followClock()
    connectChanges(loadSession)
  })
})
loadSession()
