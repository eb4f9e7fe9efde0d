/** Call that platforms have no endpoint for. The command line composes it from other calls. */
interface ComposedCall {
  /** Name that the call would have as an endpoint. `parley api` lists it, and names the command instead of calling it. */
  readonly name: string
  /** Name of the endpoint that is called instead. */
  readonly of: string
  /** Command that makes the call. */
  readonly command: string
  readonly summary: string
}

export const composedCalls: readonly ComposedCall[] = [
  {
    name: 'assistants.get',
    of: 'assistants.list',
    command: 'parley assistants get <id>',
    summary: 'Show one assistant',
  },
  { name: 'numbers.get', of: 'numbers.list', command: 'parley numbers get <id>', summary: 'Show one phone number' },
  { name: 'leads.get', of: 'leads.list', command: 'parley leads get <id>', summary: 'Show one lead' },
  { name: 'keys.get', of: 'keys.list', command: 'parley keys get <id>', summary: 'Show one API key' },
]
