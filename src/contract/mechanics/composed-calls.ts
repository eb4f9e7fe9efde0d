/** A call that platforms have no endpoint for: the client makes it of others. */
export interface ComposedCall {
  /** As it would be called if it were an endpoint. */
  readonly name: string
  /** The endpoint that it reads instead. */
  readonly of: string
  /** The command that does it. */
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
]
