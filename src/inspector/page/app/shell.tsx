import { signal } from '@preact/signals'
import { Component, type ComponentChildren, type ComponentType } from 'preact'
import { connection } from '../data/changes.ts'
import { account, chooseAccount, loadSession, session, sessionFailure } from '../data/session.ts'
import { zoneOf } from '../data/values.ts'
import { ActionDialog, Notice } from '../parts/action.tsx'
import { CommandLine } from '../parts/command-line.tsx'
import { PageHead } from '../parts/fields.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Empty, Loading } from '../parts/states.tsx'
import { ClockState } from './clock-state.tsx'
import { route } from './history.ts'
import { KeyboardHelp, showKeys } from './keyboard.tsx'
import { pages, routePath } from './routes.ts'
import { setTheme, type Theme, theme } from './theme.ts'

/** The pages by their names in routes.ts, as main.tsx gives them. */
export type PageComponents = Readonly<Record<string, ComponentType>>

const isMenuOpen = signal(false)

const connectionTexts = { connecting: 'Connecting', live: 'Live', lost: 'Disconnected', polling: 'Refreshing' } as const

function Navigation() {
  const available = session.value?.pages ?? {}
  return (
    <nav id="navigation" aria-label="Pages" class={isMenuOpen.value ? 'open' : ''}>
      <ul>
        {pages.map((page) => (
          <li key={page.name}>
            <a
              href={routePath(page.name)}
              class={available[page.name] === true || available[page.name] === undefined ? '' : 'unavailable'}
              {...(route.value.page === page.name && { 'aria-current': 'page' as const })}
              onClick={() => {
                isMenuOpen.value = false
              }}
            >
              {page.title}
            </a>
          </li>
        ))}
      </ul>
      <div class="nav-foot">
        <label class="field inline">
          <span>Theme</span>
          <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
            <option value="system">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
        <button type="button" class="quiet" onClick={showKeys}>
          Keyboard shortcuts
        </button>
        <span class="muted">Times in UTC{zoneOf(new Date())}</span>
        <span class="muted">Parley {session.value?.version}</span>
      </div>
    </nav>
  )
}

function TopBar() {
  const { accounts = [], mode, profile, read_only } = session.value ?? {}
  return (
    <header class="top">
      <button
        type="button"
        class="menu quiet"
        aria-expanded={isMenuOpen.value}
        aria-controls="navigation"
        onClick={() => {
          isMenuOpen.value = !isMenuOpen.value
        }}
      >
        <span aria-hidden="true">☰</span>
        <span class="hidden">Pages</span>
      </button>
      <a class="brand" href={routePath('overview')}>
        Parley <span class="wide-only">inspector</span>
      </a>
      <span class="muted profile" dir="auto">
        {mode === 'remote' ? `${profile} (remote)` : profile}
      </span>
      {read_only && <span class="tag">read-only</span>}
      <span class="grow" />
      <ClockState />
      {accounts.length > 1 && (
        <select
          class="account"
          aria-label="Account"
          value={account.value}
          onChange={(event) => chooseAccount(Number(event.currentTarget.value))}
        >
          {accounts.map((account) => (
            <option key={account.id} value={account.id}>
              {account.name}
            </option>
          ))}
        </select>
      )}
      <span class={`connection ${connection.value}`} role="status">
        <span class="dot" aria-hidden="true" />
        <span class="wide-only">{connectionTexts[connection.value]}</span>
        <span class="hidden narrow-only">{connectionTexts[connection.value]}</span>
      </span>
    </header>
  )
}

/** Shows what went wrong in its place, so that an error in one page leaves the others usable. */
class ErrorBoundary extends Component<{ children: ComponentChildren }, { message: string | null }> {
  override state = { message: null }

  static override getDerivedStateFromError(error: unknown): { message: string } {
    return { message: String((error as Error | null)?.message ?? error) }
  }

  override render() {
    const { message } = this.state
    if (message === null) return this.props.children
    return (
      <div class="state failed" role="alert">
        <h1>This page cannot be shown</h1>
        <p>
          The response of the server has an unexpected format. Use the same version of Parley for the server and the
          command.
        </p>
        <p class="muted" dir="auto">
          {message}
        </p>
        <button type="button" onClick={() => this.setState({ message: null })}>
          Try again
        </button>
      </div>
    )
  }
}

function Page({ components }: { components: PageComponents }) {
  const { page } = route.value
  const Shown = components[page]
  const reason = session.value?.pages[page]
  const title = pages.find((it) => it.name === page)?.title
  if (typeof reason === 'string')
    return (
      <>
        <PageHead title={title ?? page} />
        <Empty title="Not available for this platform">{reason}</Empty>
      </>
    )
  if (!Shown)
    return (
      <>
        <PageHead title="Page not found" />
        <Empty title={`The inspector has no page "${page}"`}>
          <a href={routePath('overview')}>Go to the overview</a>
        </Empty>
      </>
    )
  return (
    <ErrorBoundary key={page}>
      <Shown />
    </ErrorBoundary>
  )
}

/** The frame of all pages: header, navigation, dialogs. Without a session, it says how to get one. */
export function Shell({ components }: { components: PageComponents }) {
  if (!session.value)
    return (
      <main id="main" class="sign-in">
        <h1>Parley inspector</h1>
        {!sessionFailure.value && <Loading what="Connecting" />}
        {sessionFailure.value && (
          <div class="state" role="alert">
            <p class="state-title">{sessionFailure.value.text}</p>
            {sessionFailure.value.isSignedOut ? (
              <>
                <p>Sign-in links work once and for 5 minutes. Get a new one in your terminal:</p>
                <CommandLine command="parley ui" />
              </>
            ) : (
              <button type="button" onClick={loadSession}>
                Try again
              </button>
            )}
          </div>
        )}
      </main>
    )
  return (
    <div class="frame">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar />
      <Navigation />
      <main id="main" tabIndex={-1}>
        {connection.value === 'lost' && (
          <p class="notice warning" role="status">
            Disconnected from the server. The page shows the last known state and reconnects automatically.
          </p>
        )}
        <Page components={components} />
      </main>
      <FormDialog />
      <ActionDialog />
      <KeyboardHelp />
      <Notice />
    </div>
  )
}
