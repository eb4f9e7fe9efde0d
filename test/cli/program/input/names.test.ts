import { describe, expect, test } from 'vitest'
import type { Command } from '../../../../src/cli/program/commandline/command.ts'
import { fieldFlags } from '../../../../src/cli/program/commandline/field-flags.ts'
import { resourceOfFlag } from '../../../../src/cli/program/resources/registry.ts'
import { schemaDefinition, unwrap } from '../../../../src/contract/endpoint/coerce.ts'
import { references } from '../../../../src/contract/references/resource-references.ts'
import { allCommands } from '../../../../src/generate/reference-files.ts'
import { operator } from '../../../support/operator.ts'

const commands = (await allCommands()).map(([words, command]): [string, Command] => [words, command])

/** The body that a command would send. */
const bodyOf = async (line: string, by = operator()): Promise<unknown> => (await by.json(`${line} --dry-run`)).body

describe('a flag that holds an id', () => {
  test.each([
    ['assistants update 1 --voice-id Amelia', { voice_id: 1 }],
    ['assistants update 1 --language-id Spanish', { language_id: 2 }],
    ['assistants update 1 --language-id es', { language_id: 2 }],
    ['assistants update 1 --llm-model-id Thorough', { llm_model_id: 3 }],
    ['assistants update 2 --multimodal-model-id "Realtime mini"', { multimodal_model_id: 22 }],
    ['assistants update 1 --folder-id "Recall campaigns"', { folder_id: 2 }],
    ['assistants update 1 --label-ids production,2', { label_ids: [1, 2] }],
    ['assistants update 1 --secondary-language-ids Spanish', { secondary_language_ids: [2] }],
    ['assistants update 1 --transcriber-provider-id "Low latency"', { transcriber_provider_id: 3 }],
    ['assistants update 1 --synthesizer-provider-id studio', { synthesizer_provider_id: 2 }],
    ['assistants update 1 --phone-number-id "Front desk"', { phone_number_id: 4 }],
    ['assistants update 1 --phone-number-id 14155550199', { phone_number_id: 3 }],
    ['assistants update 1 --set voice_id=Amelia --set-json \'label_ids=["trial"]\'', { voice_id: 1, label_ids: [3] }],
    ['assistants update 1 --folder-id null', { folder_id: null }],
    [
      'assistants update 1 --folder "Recall campaigns" --voice Amelia --labels trial',
      { folder_id: 2, voice_id: 1, label_ids: [3] },
    ],
  ])('takes a name: %s', async (line, body) => expect(await bodyOf(line)).toEqual(body))

  test('of a campaign takes numbers, nicknames, senders, and templates of that sender', async () => {
    const by = operator()
    const [template] = await by.json('messaging templates 1')
    const line = 'campaigns create --name Spring --assistant Recall --timezone Europe/London'
    expect(
      await bodyOf(
        `${line} --phone-number-ids '+14155550199,Reception' --fallback-messaging-sender-id +14155550170 --fallback-messaging-template-id ${template.name} --fallback-sms-from-phone-number-id "Front desk"`,
        by,
      ),
    ).toMatchObject({
      assistant_id: 2,
      phone_number_ids: [3, 1],
      fallback_messaging_sender_id: 1,
      fallback_messaging_template_id: template.id,
      fallback_sms_from_phone_number_id: 4,
    })
    expect(await by.run(`${line} --fallback-messaging-template-id ${template.name}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('hint: Pass --fallback-messaging-sender-id, or the id of the template.'),
    })
  })

  test('of a list or a local platform takes a name too', async () => {
    const by = operator()
    expect(await by.json('calls list --campaign-id "Call back"')).toEqual(await by.json('calls list --campaign-id 1'))
    expect(await by.run('events list --account "Northwind Dentel"')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No account "Northwind Dentel" found. Did you mean "Northwind Dental"?'),
    })
    expect((await by.run('events list --account "Northwind Dental"')).exitCode).toBe(0)
  })

  test('reads no list for an id, and one list for several names', async () => {
    const by = operator()
    expect((await by.run('assistants update 1 --voice-id 2 --dry-run')).requests).not.toContain(
      'GET /api/user/assistants/voices',
    )
    const { requests } = await by.run('assistants update 1 --label-ids production,trial --dry-run')
    expect(requests.filter((it) => it.includes('label'))).toHaveLength(1)
  })

  test('names all that contain an incomplete name, in flags and documents', async () => {
    const by = operator()
    const senders = 'Did you mean one of "Northwind Dental", "Northwind Billing", '
    expect((await by.run('messaging session --sender northwind --to +14155550142')).stderr).toContain(senders)
    expect((await by.run("messaging list --filter sender_id='Northwind'")).stderr).toContain(senders)
    expect((await by.run(['assistants', 'update', '1', '--data', '{voice_id: Ameli}'])).stderr).toContain(
      '--data: voice_id: voice "Ameli" not found. Did you mean "Amelia"?',
    )
  })

  test('of a template parameter takes a name too', async () => {
    const by = operator()
    const line = 'automate apply lead-intake-webhook --confirm-side-effects --dry-run --param'
    expect(await bodyOf(`${line} campaign_id="Call back"`, by)).toMatchObject({ params: { campaign_id: '1' } })
    expect(await by.run(`${line} campaign_id=Remind`)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No campaign "Remind" found. Did you mean "Reminders"?'),
    })
  })

  test('names the closest for an unknown name, and sends nothing', async () => {
    const { exitCode, stderr, requests } = await operator().run('assistants update 1 --voice-id Amelie')
    expect({ exitCode, writes: requests.filter((it) => !it.startsWith('GET')) }).toEqual({ exitCode: 4, writes: [] })
    expect(stderr).toBe(
      'error: No voice "Amelie" found. Did you mean "Amelia"?\nhint: List voices: parley voices list.\n',
    )
  })

  test('exits with 2 for the name of several, with each of them and its id', async () => {
    const by = operator()
    for (const id of [1, 3]) await by.run(`numbers update ${id} --nickname Lobby`)
    expect(await by.run('assistants update 1 --phone-number-id Lobby')).toMatchObject({
      exitCode: 2,
      stderr:
        'error: Several numbers are named "Lobby": 1, 3.\nhint: Pass the id: 2001 Lobby (1); +14155550199 Lobby (3).\n',
    })
  })

  test('takes only ids on a platform that has no list of them', async () => {
    const through: Parameters<ReturnType<typeof operator>['run']>[1] = {
      through: async (handle, request) =>
        request.url.includes('voices')
          ? { status: 404, headers: {}, body: '{"message":"Not found"}' }
          : handle(request),
    }
    expect(await operator().run('assistants update 1 --voice-id Amelia', through)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--voice-id takes only ids on this platform, because it does not list voices.'),
    })
  })
})

describe('every command', () => {
  /** Flags of ids that are not names, and why. */
  const onlyIds: Readonly<Record<string, string>> = {
    'history list --id': 'A deleted resource is in the history too, and has no name on the platform any more.',
    'automate retry --run': 'Runs have no names.',
    'contacts waiting --waiting-id': 'What waits has no name.',
    'messaging list --template-id': 'Templates of different senders can have the same name.',
    'server simulate receipt --message-sid': 'Messages have no names.',
  }

  test('takes a name for every field that holds the id of a resource', () => {
    const strict = commands.flatMap(([words, command]) =>
      fieldFlags(command)
        .filter(({ field, schema, long }) => {
          const { element } = schemaDefinition(unwrap(schema).base)
          const isInteger = unwrap(element ?? schema).kind === 'integer'
          const isNamed = long === '--account' || resourceOfFlag(long) !== undefined
          return isInteger && /(^|_)(ids?|account)$/.test(field) && !isNamed && !onlyIds[`${words} ${long}`]
        })
        .map(({ long }) => `${words} ${long}`),
    )
    expect(strict, 'Add the flag to "flags" of the descriptor of its resource').toEqual([])
  })

  test('says in its help that a flag or argument takes a name, or has a reason not to', () => {
    const named = /\b(name|nickname|code|path|time|key)s?\b/i
    const idOnly = commands.flatMap(([words, command]) =>
      [...fieldFlags(command), ...(command.flags ?? [])]
        .filter((it) => !('hidden' in it && it.hidden))
        .filter(({ flags, describe }) => /<ids?>$|-ids? </.test(flags) && !named.test(describe))
        .map(({ flags }) => `${words} ${flags.replace(/ <.*/, '')}`)
        .filter((it) => !onlyIds[it]),
    )
    expect(idOnly).toEqual([])
    // These records have no names: each argument is an id, or the beginning of one.
    const nameless =
      /^(conversations|calls|ops|history|leads|server (deliveries|faults)|automate runs) |^messaging get$|^contacts (cancel|send)-waiting$/
    const unnamed = commands.filter(
      ([words, { argument }]) =>
        /^(id|sender|run)$/.test(argument?.name ?? '') &&
        !named.test(argument?.describe ?? '') &&
        !nameless.test(words),
    )
    expect(unnamed.map(([words]) => words)).toEqual([])
  })

  test('finds the same resource for a flag as the contract for its field', () => {
    for (const { path, to } of Object.values(references)
      .flat()
      .filter(({ path }) => /^[a-z_]+(\[\])?$/.test(path))) {
      const flag = `--${path.replace('[]', '').replaceAll('_', '-')}`
      const shorter = ['--assistant', '--sender', '--template', '--from']
      const known = resourceOfFlag(flag) ?? shorter.map((it) => resourceOfFlag(it)).find((it) => it === to)
      expect(known, flag).toBe(to)
    }
  })
})
