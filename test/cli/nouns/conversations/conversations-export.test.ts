import { describe, expect, test } from 'vitest'
import { redactPersonalData } from '../../../../src/cli/nouns/conversations/redact-personal-data.ts'
import { parseCsv } from '../../../../src/node/parse-csv.ts'
import { operator } from '../../../support/operator.ts'

interface Exported {
  readonly id: string
  readonly type: string
  readonly history: readonly { readonly role: string; readonly content: string }[]
}

describe('conversations export', () => {
  test('has every conversation with its messages, and the same messages in every format', async () => {
    const by = operator()
    const all: Exported[] = await by.json('conversations export')
    const listed = await by.json('conversations list --all')
    expect(all.map(({ id }) => id)).toEqual(listed.map(({ id }: Exported) => id))
    for (const { id, history } of all.slice(0, 3))
      expect((await by.json(`conversations get ${id}`)).history).toEqual(history)
    const lines = (await by.run('conversations export -o ndjson')).stdout.trim().split('\n')
    expect(lines.map((it) => JSON.parse(it))).toEqual(all)
    const { rows: csv } = parseCsv((await by.run('conversations export -o csv')).stdout.trim(), ',')
    expect(csv[0]).toEqual(['conversation_id', 'assistant_name', 'type', 'created_at', 'message', 'role', 'content'])
    expect(csv.slice(1).map((it) => [it[0], it[6]])).toEqual(
      all.flatMap(({ id, history }) => history.map(({ content }) => [id, content])),
    )
    const markdown = (await by.run('conversations export')).stdout
    for (const { id } of all) expect(markdown).toContain(`## Conversation ${id}\n`)
    expect(markdown).toContain('**Customer:** ')
    expect(await by.json('conversations export --limit 2')).toEqual(all.slice(0, 2))
    const widgets: Exported[] = await by.json('conversations export --type widget')
    expect(widgets.map(({ id }) => id)).toEqual(all.filter(({ type }) => type === 'widget').map(({ id }) => id))
  })

  test('with --redact, masks numbers, addresses and names wherever they occur', async () => {
    const redacted = redactPersonalData({
      id: '0d1c6a2e-1111-4222-8333-444455556666',
      created_at: '2026-08-04 12:00:00',
      variables: { first_name: 'Anna', customer: { full_name: 'Anna María Kowalska' }, visits: 3 },
      customer: { name: 'A. Kowalska', phone: '+14155550142' },
      history: [
        { role: 'user', content: 'Hi, anna here: anna.k@mail.example or (415) 555-0142. On 2026-08-05 at 10:30?' },
        {
          role: 'assistant',
          content: 'Thank you, Anna María Kowalska. Order 12345, call 0044 20 7946 0958. Annabel is out.',
          function_calls: [{ name: 'book', arguments: { patient_name: 'Jo Lee', phone: '+44 20 7946 0958' } }],
        },
      ],
    })
    expect(redacted).toEqual({
      id: '0d1c6a2e-1111-4222-8333-444455556666',
      created_at: '2026-08-04 12:00:00',
      variables: { first_name: '[name]', customer: { full_name: '[name]' }, visits: 3 },
      customer: { name: '[name]', phone: '[phone]' },
      history: [
        { role: 'user', content: 'Hi, [name] here: [email] or [phone]. On 2026-08-05 at 10:30?' },
        {
          role: 'assistant',
          content: 'Thank you, [name]. Order 12345, call [phone]. Annabel is out.',
          function_calls: [{ name: 'book', arguments: { patient_name: '[name]', phone: '[phone]' } }],
        },
      ],
    })
  })

  test('with --redact, masks introductions, addresses, accounts and dates of birth', () => {
    const { history } = redactPersonalData({
      history: [
        {
          role: 'user',
          content: "I'm Grace Hopper, born 9.12.1906, 12 Navy Yard Street, DE44 5001 0517 5407 3249 31.",
        },
        { role: 'assistant', content: 'Thank you, Grace. I am Amelia.' },
      ],
    })
    expect(history.map((it) => it.content)).toEqual([
      "I'm [name], born [date of birth], [address], [account].",
      'Thank you, [name]. I am Amelia.',
    ])
  })

  test('has the conversations of a period, and asks the platform only for its days', async () => {
    const by = operator()
    const all: (Exported & { created_at: string })[] = await by.json('conversations export')
    const day = all[1]?.created_at.slice(0, 10)
    const since: Exported[] = await by.json(`conversations export --since ${day}`)
    expect(since.map(({ id }) => id)).toEqual(
      all.filter((it) => it.created_at.slice(0, 10) >= String(day)).map(({ id }) => id),
    )
    const until: Exported[] = await by.json(`conversations export --until ${day} --limit 2`)
    expect(until.map(({ id }) => id)).toEqual(
      all
        .filter((it) => it.created_at.slice(0, 10) < String(day))
        .slice(0, 2)
        .map(({ id }) => id),
    )
    expect((await by.run('conversations search a --since 1h')).requests.join()).toMatch(/date_from=2026-08-03/)
    expect((await by.run('conversations search a --since soon')).exitCode).toBe(2)
  })

  test.each(['conversations export', 'conversations search a', 'calls export', 'calls search a', 'automate runs list'])(
    '%s refuses a period that ends before it starts',
    async (line) => {
      const run = await operator().run(`${line} --since 1d --until 2d`)
      expect(run).toMatchObject({ exitCode: 2, stdout: '' })
      expect(run.stderr).toContain('--until must be after --since.')
    },
  )

  test('with --redact, masks payment cards and keeps other long numbers', () => {
    const content =
      'Pay with 4111 1111 1111 1111, 5500-0000-0000-0004 or 378282246310005. Tracking: 4111 1111 1111 1112'
    expect(redactPersonalData({ history: [{ role: 'user', content }] }).history[0]?.content).toBe(
      'Pay with [card], [card] or [card]. Tracking: 4111 1111 1111 1112',
    )
  })

  test('with --redact, has no phone number of the sample data in any format', async () => {
    const by = operator()
    expect((await by.run('conversations export -o ndjson')).stdout).toMatch(/\+1415555\d{4}/)
    for (const form of ['table', 'json', 'csv']) {
      const run = await by.run(`conversations export --redact -o ${form}`)
      expect(run.exitCode).toBe(0)
      expect(run.stdout).not.toMatch(/\+\d{7}/)
    }
  })
})

describe('conversations search', () => {
  test('finds the messages that contain a text, regardless of case', async () => {
    const by = operator()
    const all: Exported[] = await by.json('conversations export')
    const found = await by.json('conversations search APPOINTMENT')
    expect(found.length).toBeGreaterThan(0)
    expect(found.map(({ conversation_id, content }: Record<string, string>) => [conversation_id, content])).toEqual(
      all.flatMap(({ id, history }) =>
        history.filter(({ content }) => /appointment/i.test(content)).map(({ content }) => [id, content]),
      ),
    )
    expect(await by.json('conversations search appointment --limit 1')).toEqual(found.slice(0, 1))
    const none = await by.run('conversations search "no such words"')
    expect(none).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('No messages contain this text.') })
    expect((await by.run('conversations search')).exitCode).toBe(2)
  })

  test('with --redact, searches the original text and prints it masked', async () => {
    const by = operator()
    const id = (await by.run('conversations start --assistant Recall --type test -o id')).stdout.trim()
    await by.json(`conversations send ${id} --message "My number is +14155550123"`)
    const found = await by.json('conversations search 5550123 --redact')
    expect(found[0]).toMatchObject({ conversation_id: id, content: expect.stringContaining('[phone]') })
    for (const options of [{}, { terminal: true }])
      expect((await by.run('conversations search 5550123 --redact', options)).stdout).not.toContain('5550123')
  })

  test('highlights matches on terminals only', async () => {
    const by = operator()
    const shown = await by.run('conversations search appointment', { terminal: true, env: { FORCE_COLOR: '1' } })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colors
    expect(shown.stdout).toMatch(/\u001b\[3\dm(\u001b\[1m)?appointment/i)
    expect((await by.run('conversations search appointment')).stdout).not.toContain('\u001b')
  })
})
