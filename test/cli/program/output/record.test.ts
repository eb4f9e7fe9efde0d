import { describe, expect, test } from 'vitest'
import type { View } from '../../../../src/cli/program/output/format.ts'
import { renderRecord } from '../../../../src/cli/program/output/render.ts'
import { settings } from '../../../support/memory-sink.ts'

const view: View<{ id: number }> = {
  id: (it) => it.id,
  empty: '',
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'price', title: 'Price', priority: 2, kind: 'money' },
  ],
}
const item = {
  id: 7,
  price: 0.0105,
  status: 'active',
  sms_capable: false,
  nickname: null,
  created_at: '2026-08-04T11:58:00.123456Z',
  model: { id: 3, name: 'swift\u001b[31m' },
  languages: ['pl', 'en'],
  tools: [{ id: 1 }, { id: 2 }],
  labels: [],
  greeting: 'Hello.\nHow can I help?',
}

describe('one record', () => {
  test('on a terminal has aligned lines with all fields', async () => {
    expect(await renderRecord(item, settings({ terminal: true }), { view })).toBe(
      [
        'ID           7',
        'Price        0.0105 USD',
        'Status       active',
        'SMS capable  no',
        'Nickname     -',
        'Created      2026-08-04 13:58:00 +02:00',
        'Model ID     3',
        'Model name   swift',
        'Languages    pl, en',
        'Tools        {"id":1}',
        '             {"id":2}',
        'Labels       -',
        'Greeting     Hello.',
        '             How can I help?',
        '',
      ].join('\n'),
    )
  })
  test('elsewhere has one line per field, with a tab', async () => {
    const text = await renderRecord(item, settings(), { view })
    expect(text.split('\n').slice(0, 3)).toEqual(['ID\t7', 'Price\t0.0105 USD', 'Status\tactive'])
    expect(text).toContain('Greeting\tHello. How can I help?\n')
    expect(text).toContain('Tools\t[{"id":1},{"id":2}]\n')
    expect(text).toContain('Languages\tpl, en\n')
  })
  test('without a terminal has nested values as JSON on one line', async () => {
    const text = await renderRecord(
      { tools: [{ text: 'a\tb\nc' }], list: [null, ['x\ty']], open: { deep: [{ 'a.b': '\t' }] } },
      settings(),
      {},
    )
    expect(text).not.toContain('[object')
    const cells = text
      .trimEnd()
      .split('\n')
      .map((it) => it.split('\t'))
    expect(cells.map((it) => it.length)).toEqual([2, 2, 2])
    expect(cells.map(([, cell]) => JSON.parse(cell as string))).toEqual([
      [{ text: 'a\tb\nc' }],
      [null, ['x\ty']],
      [{ 'a.b': '\t' }],
    ])
  })
  test('writes acronyms in capitals, and only the ending of a plural in small letters', async () => {
    const record = { sms_sent: 1, tts_emotion_enabled: true, label_ids: [2], webhook_urls: [], llm_model_id: 3 }
    const text = await renderRecord(record, settings(), {})
    expect(text.split('\n').map((line) => line.split('\t')[0])).toEqual([
      'SMS sent',
      'TTS emotion enabled',
      'Label IDs',
      'Webhook URLs',
      'LLM model ID',
      '',
    ])
  })
  test('shows only the requested fields, in that order', async () => {
    expect(await renderRecord(item, settings({ terminal: true, fields: ['model.name', 'id'] }), { view })).toBe(
      'Model name  swift\nID          7\n',
    )
  })
  test('shows the id of an inner object once', async () => {
    const lead = { id: 1, campaign_id: 4, campaign: { id: 4, name: 'Recall' } }
    expect(await renderRecord(lead, settings())).toBe('ID\t1\nCampaign ID\t4\nCampaign name\tRecall\n')
  })
  test('has a colored status and bold titles if color is enabled', async () => {
    expect(await renderRecord({ status: 'failed' }, settings({ terminal: true, color: true }))).toBe(
      '\u001b[1mStatus\u001b[22m  \u001b[31mfailed\u001b[39m\n',
    )
  })
})
