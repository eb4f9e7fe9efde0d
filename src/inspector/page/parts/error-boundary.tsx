import { Component, type ComponentChildren } from 'preact'

/** Shows what went wrong in its place, so that an error in one page leaves the others usable. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, { message: string | null }> {
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
