import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Call } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import { localPlatform } from '../../../client/transport/platform-address.ts'
import { platform as platformEndpoints } from '../../../contract/control/platform.ts'
import { mapReference } from '../../../contract/references/reference-paths.ts'
import { references } from '../../../contract/references/resource-references.ts'
import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { conversations, type HistoryMessage } from '../../../contract/resources/conversations.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { hasContent } from '../../nouns/knowledge/files.ts'
import type { Context } from '../../program/context.ts'
import { unresolvedNameError } from '../../program/documents/name-references.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { readDocument } from '../../program/input/read-document.ts'
import { loadFileKind } from '../as-code/project-layout.ts'
import { openAccount } from '../scenario-tests/assistants/open-account.ts'
import { type ProjectFiles, readProjectFiles } from '../scenario-tests/assistants/project-files.ts'
import { requireMockedTools } from '../scenario-tests/assistants/read-scenarios.ts'
import { sampleAccount } from '../scenario-tests/assistants/sample-account.ts'
import type { TestScenario } from '../scenario-tests/assistants/scenario-schema.ts'
import { openTestPlatform, type TestPlatform } from '../scenario-tests/assistants/test-platform.ts'
import { createToolMocks } from '../scenario-tests/assistants/tool-mocks.ts'
import type { ModelEndpoint } from '../scenario-tests/model/model-recorder.ts'
import { ChatRecord, type HeldConversation, type SavedConversation } from './conversation-file.ts'
import { secretTexts, withoutSecrets } from './file-secrets.ts'

type Fields = Readonly<Record<string, unknown>>

/** An assistant of a file, and the files around it. */
export interface ChatProject extends ProjectFiles {
  /** Path of the file as it was given. */
  readonly shown: string
  /** Absolute path of the file. */
  readonly file: string
  readonly assistant: string
  /** Folder of the project: the parent of `assistants`, or the folder of the file. */
  readonly folder: string
  readonly knowledge: readonly KnowledgeFile[]
}

/** The file of a knowledge base in a project. */
interface KnowledgeFile {
  readonly file: string
  /** Path for messages. */
  readonly shown: string
  readonly content: Fields
}

/**
 * Reads the file of an assistant, and the tools, automations and other assistants of its project. @throws ClientFailure
 * `usage` for files that cannot be read
 */
export async function readChatProject(context: Context, given: string): Promise<ChatProject> {
  const { system } = context
  const file = resolve(system.cwd, given)
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(
      `${given} is a folder.`,
      `Pass the file of an assistant, such as ${join(given, 'front-desk.yaml')}.`,
    )
  const kind = await loadFileKind('assistants')
  const own = await kind.normalize(
    (await readDocument(system, given, kind.documentSchema, given, true)) as Fields,
    given,
  )
  const above = dirname(file)
  const folder = basename(above) === 'assistants' ? dirname(above) : above
  const project = await readProjectFiles(context, folder)
  const others = project.assistants.filter((it) => it.name !== own.name)
  return {
    ...project,
    assistants: [...others, own],
    files: new Map([...(project.files ?? []), [`assistants/${String(own.name)}`, given]]),
    shown: given,
    file,
    assistant: String(own.name),
    folder,
    knowledge: await readKnowledge(context, folder),
  }
}

/** Reads the files of the knowledge bases of a project. */
async function readKnowledge({ system }: Context, folder: string): Promise<readonly KnowledgeFile[]> {
  const kind = await loadFileKind('knowledge')
  const path = join(folder, 'knowledge')
  const names = existsSync(path) ? readdirSync(path).filter((it) => /\.ya?ml$/.test(it)) : []
  const read: KnowledgeFile[] = []
  for (const name of names.sort()) {
    const file = join(path, name)
    const shown = relative(system.cwd, file)
    const document = (await readDocument(system, file, kind.documentSchema, shown)) as Fields
    read.push({ file, shown, content: (await kind.normalize(document, shown)) as Fields })
  }
  return read
}

/**
 * Checks the names of tools and knowledge bases in the file of the assistant, as `parley push` does. A project without
 * files of a kind has none of it to compare with, and a tool with a mock needs no file.
 * @throws ClientFailure `usage` for a name that the project does not have
 */
function requireKnownNames(
  { assistants: all, assistant, tools, knowledge, shown }: ChatProject,
  mocked: readonly string[],
): void {
  const own = all.find((it) => it.name === assistant) ?? {}
  const known: Readonly<Record<string, readonly string[]>> = {
    tools: tools.map((it) => String(it.name)),
    knowledge: knowledge.map(({ content }) => String(content.name)),
  }
  for (const reference of references.assistants) {
    const names = known[reference.to] ?? []
    if (names.length === 0) continue
    mapReference(own, reference, (value, path) => {
      const name = String(value)
      const isKnown = isNumericId(value) || names.includes(name) || (reference.to === 'tools' && mocked.includes(name))
      if (!isKnown) throw unresolvedNameError(shown, { to: reference.to, name, path, known: names })
      return value
    })
  }
}

/**
 * Returns the conversation of a file for an assistant, which may have got another name since. @throws ClientFailure
 * `usage` for a conversation with another assistant, and one that was transferred to an assistant without a file
 */
function continued(
  { saved, shown }: HeldConversation,
  project: ChatProject,
  { cwd }: Context['system'],
): SavedConversation['conversation'] | undefined {
  if (!saved) return undefined
  const isSame = saved.assistant === project.assistant || saved.file === project.file
  if (!isSame) {
    const from = saved.file === undefined ? '' : ` (${relative(cwd, saved.file)})`
    throw usageError(
      `${shown} is a conversation with "${saved.assistant}"${from}, and ${project.shown} is "${project.assistant}". Nothing was sent.`,
      'Pass the file of the same assistant, or start a new conversation with another --conversation.',
    )
  }
  const { conversation } = saved
  const current = conversation.assistant_id === saved.assistant ? project.assistant : conversation.assistant_id
  if (!project.assistants.some((it) => it.name === current))
    throw usageError(
      `${shown} was transferred to the assistant "${current}", which is not in ${relative(cwd, project.folder) || '.'}. Nothing was sent.`,
      'Add its file, or start a new conversation with another --conversation.',
    )
  return { ...conversation, assistant_id: current }
}

/**
 * Adds the documents of the knowledge bases of a project, as `parley push` does. Returns a sentence about each knowledge
 * base that lacks some, because an exported file does not have their content.
 */
async function addDocuments(inner: Context, { knowledge }: ChatProject): Promise<readonly string[]> {
  if (knowledge.length === 0) return []
  const kind = await loadFileKind('knowledge')
  const lacking: string[] = []
  const known = new Map((await kind.list(inner)).map((it) => [it.name, String(it.id)]))
  for (const { file, shown, content } of knowledge) {
    // Knowledge bases that no assistant refers to are not created.
    const id = known.get(content.name)
    if (id === undefined || !Array.isArray(content.documents)) continue
    const documents = content.documents.filter((it: Fields) => hasContent(it))
    const missing = content.documents
      .filter((it: Fields) => !hasContent(it))
      .map((it: Fields) => `"${String(it.name)}"`)
    if (missing.length > 0)
      lacking.push(
        `Knowledge base "${String(content.name)}" lacks ${missing.join(', ')}: ${shown} has no url, links or file for them.`,
      )
    kind.check?.({ ...content, documents }, undefined, file, [])
    const options = { confirmed: false, skipLocalTest: true, rollback: false, path: file }
    await kind.update(inner, id, { documents }, options).catch((error: unknown) => {
      if (!(error instanceof ClientFailure) || error.exit !== 'rejected') throw error
      const problems = error.details.map((it) => `${it.path}: ${it.message}`)
      throw usageError(`${shown}: ${problems.length > 0 ? problems.join('\n') : error.message}`)
    })
  }
  return lacking
}

/** The parts of a command on another platform than that of its profile. */
function onPlatform(context: Context, { call, runJobs }: TestPlatform): Context {
  const parts: Partial<Context> = {
    call,
    connection: async () => ({
      call,
      base: localPlatform,
      platform: localPlatform,
      via: 'embedded',
      key: async () => undefined,
      problem: () => undefined,
      runDueJobs: runJobs,
      close: async () => {},
    }),
    supports: async () => true,
  }
  return Object.create(
    context,
    Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, { value, enumerable: true }])),
  )
}

/** How a chat with the assistant of a file is opened. */
interface FileChatOptions {
  readonly project: ChatProject
  /** File of the conversation; undefined if it is not saved. */
  readonly conversation: HeldConversation | undefined
  /** Responses of tools, in addition to those of the conversation. */
  readonly mocks: TestScenario['mocks']
  readonly variables: Fields
  /** Calls the real tools. */
  readonly isLive: boolean
  readonly endpoint: ModelEndpoint | undefined
  /** Script of the local model. */
  readonly script: string | undefined
}

/** An open conversation with the assistant of a file. */
export interface FileChat {
  /** The command on the temporary platform. */
  readonly inner: Context
  readonly uuid: string
  readonly history: readonly HistoryMessage[]
  /** What of the project the temporary platform has not, and what is used instead, a sentence each. */
  readonly replaced: readonly string[]
  /** Returns the tools and hosts that got the default answer since the last call. */
  takeUnmocked(): readonly string[]
  /** Returns the present conversation. */
  read(): Promise<SavedConversation>
  close(): Promise<void>
}

/** Opens a temporary platform with the files of a project, and the conversation with its assistant. */
export async function openFileChat(context: Context, options: FileChatOptions): Promise<FileChat> {
  const { project, conversation, isLive, endpoint, script } = options
  const { system } = context
  const saved = conversation?.saved
  const mocks = { ...saved?.mocks, ...options.mocks }
  requireMockedTools(project, Object.keys(options.mocks), '--mock')
  requireKnownNames(project, Object.keys(mocks))
  const before = conversation && continued(conversation, project, system)
  const record = before && { ...before, variables: { ...before.variables, ...options.variables } }
  const used = new Map(Object.entries(saved?.used_mocks ?? {}).filter(([name]) => !Object.hasOwn(options.mocks, name)))
  const answers = createToolMocks({ mocks }, used, (name) => ({
    status: 200,
    body: { mocked: true, message: `${name} was not called, this answer is a mock` },
  }))
  const language = endpoint
    ? { url: endpoint.url, model: endpoint.model, key: endpoint.key, timeout: endpoint.timeoutMs / 1000 }
    : script === undefined
      ? {}
      : { script }
  const { platform, replaced } = await openAccount(
    sampleAccount(
      project,
      { data: record ? { conversations: [record] } : {}, channel: 'chat', assistant: project.assistant, mocks },
      { env: system.env, isLive },
    ),
    (data) =>
      openTestPlatform(system, {
        data,
        frozenAt: new Date(system.now()).toISOString(),
        language,
        ...(!isLive && { answer: answers.answer }),
      }),
    {
      project,
      own: 'The conversation is invalid',
      hint: 'Start a new conversation, or use the files it was made with.',
    },
  )
  try {
    const inner = onPlatform(context, platform)
    const lacking = await addDocuments(inner, project)
    await platform.runJobs()
    const { uuid, history } = record?.uuid
      ? { uuid: record.uuid, history: (await platform.call(conversations.get, { uuid: record.uuid })).history }
      : await startConversation(platform, project, options.variables)
    const secrets = secretTexts([...project.assistants, ...project.tools, ...project.automations], system.env)
    return {
      inner,
      uuid,
      history,
      replaced: [...replaced, ...lacking],
      takeUnmocked() {
        const names = [...answers.missing]
        answers.missing.clear()
        return names
      },
      async read() {
        const conversation = withoutSecrets(await readRecord(platform, uuid), secrets)
        return {
          assistant: project.assistant,
          file: project.file,
          conversation,
          mocks,
          used_mocks: Object.fromEntries(answers.used),
        }
      },
      close: () => platform.close(),
    }
  } catch (error) {
    await platform.close()
    throw error
  }
}

/** Starts a conversation with the assistant of the file. */
async function startConversation(
  { call }: TestPlatform,
  { assistant: name }: ChatProject,
  variables: Fields,
): Promise<{ readonly uuid: string; readonly history: readonly HistoryMessage[] }> {
  const all: readonly Assistant[] = await readAllItems(call as Call, assistants.list, {})
  const { uuid: assistant_id = '' } = all.find((it) => it.name === name) ?? {}
  const { conversation_id: uuid, history } = await call(conversations.create, {
    assistant_id,
    type: 'test',
    variables,
  })
  return { uuid, history }
}

/** Returns a conversation of a platform in the format of sample data. */
async function readRecord({ call }: TestPlatform, uuid: string): Promise<SavedConversation['conversation']> {
  const { data } = await call(platformEndpoints.export, {})
  const { accounts } = data as { readonly accounts: readonly { readonly conversations?: readonly Fields[] }[] }
  return ChatRecord.parse(accounts[0]?.conversations?.find((it) => it.uuid === uuid))
}
