import { describe, expect, test } from 'vitest'
import { createNotes, type ErrorReport } from '../../../../src/cli/program/output/notes.ts'
import { ClosedPipe } from '../../../../src/cli/program/terminal/streams.ts'
import { memorySink } from '../../../support/memory-sink.ts'

const report: ErrorReport = {
  code: 'invalid',
  message: 'The given data was invalid.\u001b[2J',
  hint: 'Correct the field.',
  status: 422,
  details: [
    { path: 'phone_number', message: 'The phone number field is required.', flag: '--phone-number' },
    { path: 'variables.city', message: 'Too long.' },
  ],
  request_id: 'req_1',
  retry_after: 2,
  next: ['parley leads list'],
}

describe('for people', () => {
  test('an error has a message, details, a hint and the next commands', async () => {
    const stderr = memorySink()
    await createNotes(stderr, { json: false, quiet: false }).error(report)
    expect(stderr.all).toBe(
      [
        'error: The given data was invalid.',
        '  --phone-number: The phone number field is required.',
        '  variables.city: Too long.',
        'hint: Correct the field.',
        'next: parley leads list',
        'request id: req_1',
        '',
      ].join('\n'),
    )
  })
  test('an error without details is one line', async () => {
    const stderr = memorySink()
    await createNotes(stderr, { json: false, quiet: true }).error({ code: 'internal', message: 'Broken.' })
    expect(stderr.all).toBe('error: Broken.\n')
  })
  test('--quiet hides hints, not warnings', async () => {
    const stderr = memorySink()
    const notes = createNotes(stderr, { json: false, quiet: true })
    await notes.note('There is more.')
    await notes.warn('Careful.')
    expect(stderr.all).toBe('warning: Careful.\n')
  })
  test('hints and warnings are printed immediately', async () => {
    const stderr = memorySink()
    await createNotes(stderr, { json: false, quiet: false }).note('There is more.')
    expect(stderr.all).toBe('There is more.\n')
  })
  test('color marks the word before the colon', async () => {
    const stderr = memorySink()
    await createNotes(stderr, { json: false, quiet: false, color: true }).warn('Careful.')
    expect(stderr.all).toBe('\u001b[33mwarning:\u001b[39m Careful.\n')
  })
  test('a closed stderr is not a failure', async () => {
    const broken = { ...memorySink(), write: () => Promise.reject(new ClosedPipe()) }
    await expect(createNotes(broken, { json: false, quiet: false }).error(report)).resolves.toBeUndefined()
  })
})

describe('for programs', () => {
  test('an error is one JSON object that always has the same keys', async () => {
    const stderr = memorySink()
    await createNotes(stderr, { json: true, quiet: false }).error({ code: 'internal', message: 'Broken.' })
    expect(stderr.all).toBe(
      '{"error":{"code":"internal","message":"Broken.","hint":null,"status":null,"details":[],"request_id":null,"retry_after":null,"next":[]}}\n',
    )
  })
  test('an error has all known values, with unchanged text and the paths of the API', async () => {
    const stderr = memorySink()
    await createNotes(stderr, { json: true, quiet: false }).error(report)
    expect(JSON.parse(stderr.all).error).toEqual({
      ...report,
      details: [
        { path: 'phone_number', message: 'The phone number field is required.' },
        { path: 'variables.city', message: 'Too long.' },
      ],
    })
  })
  test('hints and warnings before the error do not break the JSON object', async () => {
    const stderr = memorySink()
    const notes = createNotes(stderr, { json: true, quiet: false })
    await notes.note('There is more.')
    await notes.warn('Waiting 2 s.')
    await notes.error({ code: 'throttled', message: 'Too Many Attempts.' })
    await notes.end()
    expect(JSON.parse(stderr.all)).toMatchObject({ error: { code: 'throttled' }, warnings: ['Waiting 2 s.'] })
  })
  test('hints and warnings are printed at the end after a success', async () => {
    const stderr = memorySink()
    const notes = createNotes(stderr, { json: true, quiet: false })
    await notes.note('There is more.')
    await notes.warn('Old key.')
    expect(stderr.all).toBe('')
    await notes.end()
    expect(stderr.all).toBe('There is more.\nwarning: Old key.\n')
  })
})
