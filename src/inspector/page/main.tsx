import { effect } from '@preact/signals'
import { render } from 'preact'
import { followClock } from './app/clock-state.tsx'
import { followLinks } from './app/history.ts'
import { followFocus, followKeys } from './app/keyboard.tsx'
import { type PageComponents, Shell } from './app/shell.tsx'
import { setTheme, theme } from './app/theme.ts'
import { ApprovalsPage } from './approvals/approvals-page.tsx'
import { AutomationsPage } from './automations/automations-page.tsx'
import { ClockPage } from './clock/clock-page.tsx'
import { CallsPage } from './conversations/calls-page.tsx'
import { ConversationsPage } from './conversations/conversations-page.tsx'
import { connectChanges } from './data/changes.ts'
import { loadSession, session } from './data/session.ts'
import { DeliveriesPage } from './deliveries/deliveries-page.tsx'
import { FaultsPage } from './faults/faults-page.tsx'
import { MessagingPage } from './messaging/messaging-page.tsx'
import { NumbersPage } from './numbers/numbers-page.tsx'
import { OverviewPage } from './overview/overview-page.tsx'
import { TimelinePage } from './timeline/timeline-page.tsx'

const components: PageComponents = {
  overview: OverviewPage,
  timeline: TimelinePage,
  conversations: ConversationsPage,
  calls: CallsPage,
  automations: AutomationsPage,
  deliveries: DeliveriesPage,
  messaging: MessagingPage,
  numbers: NumbersPage,
  approvals: ApprovalsPage,
  clock: ClockPage,
  faults: FaultsPage,
}

setTheme(theme.value)
followLinks()
followKeys()
followFocus()
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
