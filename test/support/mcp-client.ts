import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/server'
import type { Operator, Run, RunOptions } from './operator.ts'

/** Revisions of the protocol: the current one and the one before. */
export const revisions = ['2026-07-28', '2025-11-25'] as const
export type Revision = (typeof revisions)[number]

/** Answer of a client to a question of a server. */
export type Answered =
  | { action: 'accept'; content: Record<string, never> }
  | { action: 'decline' }
  | { action: 'cancel' }

/** Result of a tool, as a test reads it. */
export interface ToolText {
  readonly text: string
  readonly isError: boolean
}

/** A client that has started `parley mcp`. */
export interface McpClient {
  readonly client: Client
  /** Messages of the questions that the server asked. */
  readonly asked: readonly string[]
  call(name: string, given: Record<string, unknown>, options?: Parameters<Client['callTool']>[1]): Promise<ToolText>
  /** Runs a command line with a tool. */
  line(tool: string, line: string | readonly string[], input?: string): Promise<ToolText>
  /** Closes the input of the server, and returns how it ended. */
  close(): Promise<Run>
}

/** Returns a client of the protocol with its answer to each question; undefined if it does not declare that it answers. */
export function createClient(revision: Revision, asked: string[], answer?: () => Answered | Promise<Answered>): Client {
  const client = new Client(
    { name: 'test client', version: '1.0.0' },
    {
      capabilities: answer ? { elicitation: {} } : {},
      versionNegotiation: { mode: revision === '2026-07-28' ? { pin: revision } : 'legacy' },
    },
  )
  if (answer)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return answer()
    })
  return client
}

/** Starts `parley mcp` in process, and connects the client of the SDK to it. */
export async function mcpClient(
  by: Operator,
  {
    flags = '',
    revision = '2026-07-28',
    answer,
    ...options
  }: {
    flags?: string
    revision?: Revision
    answer?: () => Answered | Promise<Answered>
  } & RunOptions = {},
): Promise<McpClient> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const lines = createQueue()
  let rest = ''
  const ended = by.run(`mcp ${flags}`.trim(), {
    ...options,
    stdin: lines.source,
    onOutput(text) {
      const parts = (rest + text).split('\n')
      rest = parts.pop() as string
      for (const part of parts) far.send(deserializeMessage(part)).catch(() => {})
    },
  })
  far.onmessage = (message) => lines.add(serializeMessage(message))
  await far.start()
  const asked: string[] = []
  const client = createClient(revision, asked, answer)
  await client.connect(near)
  const call: McpClient['call'] = async (name, given, more) => {
    const { content, isError = false } = await client.callTool({ name, arguments: given }, more)
    return { text: content.map((it) => (it.type === 'text' ? it.text : '')).join('\n'), isError }
  }
  return {
    client,
    asked,
    call,
    line: (tool, line, input) =>
      call(tool, { command: typeof line === 'string' ? line.split(' ') : line, ...(input !== undefined && { input }) }),
    async close() {
      await client.close()
      lines.end()
      return ended
    },
  }
}

/** Returns a source whose text is added piece by piece. */
function createQueue() {
  const pieces: string[] = []
  let isEnded = false
  let wake: () => void = () => {}
  async function* read(): AsyncGenerator<string> {
    for (;;) {
      while (pieces.length > 0) yield pieces.shift() as string
      if (isEnded) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return {
    source: { isTTY: false, read, text: async () => '' },
    add(text: string) {
      pieces.push(text)
      wake()
    },
    end() {
      isEnded = true
      wake()
    },
  }
}
