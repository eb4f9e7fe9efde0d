import type { ComponentChildren } from 'preact'
import type { RequestFailure } from '../data/api.ts'
import type { Resource } from '../data/resource.ts'
import { CommandLine } from './command-line.tsx'

/** Placeholder while data is loading. It appears after a moment, so that fast answers do not flicker. */
export const Loading = ({ what = 'Loading' }: { what?: string }) => (
  <div class="state loading" role="status">
    <span class="spinner" aria-hidden="true" />
    {what}…
  </div>
)

/** Explains why a list is empty and what fills it. */
export const Empty = ({
  title,
  children,
  command,
}: {
  title: string
  children?: ComponentChildren
  command?: string
}) => (
  <div class="state">
    <p class="state-title">{title}</p>
    {children && <p>{children}</p>}
    {command && <CommandLine command={command} />}
  </div>
)

/** Shows why a request failed, with a button that repeats it. */
export const Failed = ({ failure, retry }: { failure: RequestFailure; retry: () => void }) => (
  <div class="state failed" role="alert">
    <p class="state-title">{failure.status === 404 ? 'Not found' : 'The data could not be loaded'}</p>
    <p dir="auto">{failure.message}</p>
    <button type="button" onClick={retry}>
      Try again
    </button>
  </div>
)

/** Shows the state of a resource until it has an answer, then its content. */
export function Loaded<T>({
  resource,
  what,
  children,
}: {
  resource: Resource<T>
  what?: string
  children: (answer: NonNullable<Resource<T>['answer']>) => ComponentChildren
}) {
  const { answer, failure, reload } = resource
  if (answer)
    return (
      <>
        {failure && (
          <p class="notice warning" role="status">
            Not up to date: {failure.message}
          </p>
        )}
        {children(answer)}
      </>
    )
  if (failure) return <Failed failure={failure} retry={reload} />
  return <Loading {...(what !== undefined && { what })} />
}
