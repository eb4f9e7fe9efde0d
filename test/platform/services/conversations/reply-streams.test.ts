import { describe, expect, test } from 'vitest'
import { createReplyStreams } from '../../../../src/platform/services/conversations/reply-streams.ts'

const run = { name: 'look', arguments: {}, result: { found: true } }

describe('a streamed reply', () => {
  test('is sent to subscribers as it grows, in order, and then its end', async () => {
    const turns = createReplyStreams()
    const first = turns.readEvents('a', 0, 5000)
    const reporting = turns.start('a')
    reporting.onText('Let me ')
    expect(await first).toEqual({ events: [{ type: 'text', text: 'Let me ' }], done: false })
    reporting.onText('look.')
    reporting.onRun(run)
    expect(await turns.readEvents('a', 1, 5000)).toEqual({
      events: [
        { type: 'text', text: 'look.' },
        { type: 'function', ...run },
      ],
      done: false,
    })
    const last = turns.readEvents('a', 3, 5000)
    reporting.done()
    expect(await last).toEqual({ events: [], done: true })
  })

  test('is sent in full to late subscribers, also after its end to earlier ones', async () => {
    const turns = createReplyStreams()
    const reporting = turns.start('a')
    reporting.onText('Hello')
    await turns.readEvents('a', 0, 0)
    reporting.onText(' there')
    reporting.done()
    expect(await turns.readEvents('a', 1, 5000)).toEqual({ events: [{ type: 'text', text: ' there' }], done: true })
    expect(await turns.readEvents('a', 0, 0)).toEqual({ events: [], done: false })
  })

  test('leaves no state without subscribers, or if it never starts', async () => {
    const turns = createReplyStreams()
    const reporting = turns.start('a')
    reporting.onText('Hello')
    reporting.done()
    expect(await turns.readEvents('a', 0, 0)).toEqual({ events: [], done: false })
    expect(await turns.readEvents('never', 0, 20)).toEqual({ events: [], done: false })
  })
})
