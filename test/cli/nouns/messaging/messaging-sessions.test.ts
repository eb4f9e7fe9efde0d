import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { operator } from '../../../support/operator.ts'

const inbound = (phone: string, sender = 1): string =>
  `server simulate message --sender ${sender} --from ${phone} --text Hello`

describe('messaging sessions', () => {
  test('lists the recipients with an open window, the most recently opened first', async () => {
    const by = operator()
    by.wait(60_000)
    expect((await by.run(inbound('+14155550111'))).exitCode).toBe(0)
    const rows = await by.json('messaging sessions')
    expect(rows.map((it: { recipient_phone: string }) => it.recipient_phone)).toEqual(['+14155550111', '+14155550142'])
    expect(rows[0]).toMatchObject({
      sender_id: 1,
      customer_name: null,
      last_customer_message_at: '2026-08-04T12:01:00.000000Z',
      session_status: { is_open: true, minutes_remaining: 1440, expires_at: '2026-08-05T12:01:00.000000Z' },
    })
  })

  test('reports the same for each recipient as "messaging session"', async () => {
    const { json } = operator()
    const [row] = await json('messaging sessions')
    const one = await json(`messaging session --sender ${row.sender_id} --to ${row.recipient_phone}`)
    const { success: _, has_conversation: __, ...session } = one
    expect(row).toEqual({ sender_id: 1, recipient_phone: '+14155550142', ...session })
  })

  test('no longer lists a window once its 24 hours are over', async () => {
    const by = operator()
    await by.run('server clock advance 20h')
    const { exitCode, stdout, stderr } = await by.run('messaging sessions', { terminal: true })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toContain('No open windows. List all windows: parley messaging sessions --status all.')
    expect(await by.json('messaging sessions')).toEqual([])
  })

  test('lists the windows of one sender, by number or name', async () => {
    const by = operator()
    await by.run(inbound('+14155550111', 2))
    const recipients = async (flags: string) =>
      (await by.json(`messaging sessions ${flags}`)).map((it: { recipient_phone: string }) => it.recipient_phone)
    expect(await recipients('--sender 2')).toEqual(['+14155550111'])
    expect(await recipients('--sender +14155550170')).toEqual(['+14155550142'])
    expect(await by.run('messaging sessions --sender 99')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('Sender not found'),
    })
  })

  test('lists closed windows with --status closed, and every window with --status all', async () => {
    const { json } = operator()
    const recipients = async (status: string) =>
      (await json(`messaging sessions --status ${status}`)).map((it: { recipient_phone: string }) => it.recipient_phone)
    expect(await recipients('open')).toEqual(['+14155550142'])
    expect(await recipients('closed')).toEqual(['+14155550143'])
    expect(await recipients('all')).toEqual(['+14155550142', '+14155550143'])
    const [closed] = await json('messaging sessions --status closed')
    expect(closed.session_status).toMatchObject({ is_open: false, expired_at: '2026-08-02T12:00:00.000000Z' })
  })

  test('is read in pages', async () => {
    const by = operator()
    for (const digit of [1, 2, 3]) {
      by.wait(1000)
      await by.run(inbound(`+1415555011${digit}`))
    }
    const { stdout, stderr } = await by.run('messaging sessions --per-page 2 --fields recipient_phone -o tsv')
    expect(stdout).toBe('recipient_phone\n+14155550113\n+14155550112\n')
    expect(stderr).toContain('Showing 2 of 4. More: add --all, or --page 2.')
    expect((await by.run('messaging sessions --per-page 2 --page 2 --fields recipient_phone -o tsv')).stdout).toBe(
      'recipient_phone\n+14155550111\n+14155550142\n',
    )
    expect(await by.json('messaging sessions --limit 1')).toHaveLength(1)
    expect(await by.json('messaging sessions --per-page 1 --all')).toHaveLength(4)
  })

  test('is refused if the platform does not offer it', async () => {
    const { run } = operator({ supports: 'neutral' })
    const { exitCode, stdout, stderr } = await run('messaging sessions', { through: notParleyServer })
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('Show the window of one recipient: parley messaging session --sender <id> --to <number>.')
  })
})
