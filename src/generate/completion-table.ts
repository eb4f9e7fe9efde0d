import { type Command, riskOf } from '../cli/program/commandline/command.ts'
import type { Node } from '../cli/program/commandline/command-tree.ts'
import { fieldFlags } from '../cli/program/commandline/field-flags.ts'
import { visibleGlobalFlags } from '../cli/program/commandline/global-flags.ts'
import { createParser } from '../cli/program/commandline/parser.ts'
import { listFlags } from '../cli/program/lists/list-flags.ts'
import { listedFields } from '../cli/program/lists/list-query.ts'
import { recordField } from '../cli/program/lists/record-fields.ts'
import { listOfArgument, listOfFlag, parentLists, resources } from '../cli/program/resources/registry.ts'
import { printedSchema } from '../cli/reference/command-reference/printed-schema.ts'
import {
  type CompletionFlag,
  type CompletionNode,
  type CompletionTable,
  type CompletionWord,
  fileList,
  profileList,
} from '../cli/reference/completion/complete.ts'
import { completionScripts } from '../cli/reference/completion/shell-scripts.ts'
import { summaryOf } from '../cli/reference/help/command-help.ts'
import { topics } from '../cli/reference/help/topics.ts'
import { tree } from '../cli/tree.ts'
import { type ResourceKind, resourceLists } from '../contract/references/resource-references.ts'
import { endpoints } from '../contract/resources/index.ts'
import { countries } from '../contract/values/countries.ts'

/** Lists whose items a flag takes, by endpoint name. */
const listOfAnyFlag: Readonly<Record<string, string>> = { ...listOfFlag(), '--profile': profileList }

/** Lists for arguments that are not items of their own noun's list. */
const listOfAnyArgument: Readonly<Record<string, string>> = {
  ...listOfArgument(),
  'profile use': profileList,
  'profile set': profileList,
  'profile delete': profileList,
  login: profileList,
  ...Object.fromEntries(
    Object.keys(resourceLists)
      // Templates are listed by sender, which "refs templates" does not take.
      .filter((kind) => kind !== 'templates')
      .map((kind) => [`refs ${resources[kind as ResourceKind].noun}`, resources[kind as ResourceKind].list]),
  ),
}

/** Values of flags that are not checked by the parser but by the platform. */
const valuesOfFlag: Readonly<Record<string, readonly string[]>> = { '--country': countries }

/** Values of arguments. */
const valuesOfArgument: Readonly<Record<string, readonly string[]>> = {
  api: endpoints.map((it) => it.name),
  schema: endpoints.map((it) => it.name),
  completion: Object.keys(completionScripts),
  help: Object.keys(topics),
}

/** Returns the list that an argument is an item of: that of its noun, if it has one without required parameters. */
async function listOf(
  words: string,
  command: Command,
  siblings: Readonly<Record<string, Node>>,
): Promise<string | undefined> {
  if (Object.hasOwn(listOfAnyArgument, words)) return listOfAnyArgument[words]
  if (command.argument?.name === 'folder' || command.argument?.name === 'file') return fileList
  const list = command.argument?.name === 'id' ? (await siblings.list?.load?.())?.endpoint : undefined
  return list && !list.params ? list.name : undefined
}

/** Returns whether a flag takes a file or a folder. */
const takesPath = (flags: string): boolean => /<(path|file|path\|time)>$/.test(flags) && !flags.startsWith('--unset')

/** Returns the entries of a flag: two if its value is optional, because it is only taken after "=". */
const toFlags = (flags: string, text: string, choices: readonly string[] | undefined): CompletionFlag[] => {
  const [name] = flags.split(' [')
  return name === undefined || name === flags
    ? [toFlag(flags, text, choices)]
    : [
        [[name], text],
        [[`${name}=`], '', choices ?? []],
      ]
}

const toFlag = (flags: string, text: string, choices: readonly string[] | undefined): CompletionFlag => {
  const names = flags.replace(/[ =][<[].*$/, '').split(/, */)
  const list = takesPath(flags) ? fileList : names.map((it) => listOfAnyFlag[it]).find((it) => it !== undefined)
  if (!/[<[]/.test(flags)) return [names, text]
  const values = choices ?? names.map((it) => valuesOfFlag[it]).find((it) => it !== undefined) ?? []
  return list === undefined ? [names, text, values] : [names, text, values, list]
}

/** Returns the top-level fields of the records of a list, with all values of an enum: `status=failed|ended`. */
function fieldsOf(words: string, command: Command): string[] {
  const { item, known } = listedFields(command, printedSchema(words, command))
  return known
    .filter((path) => !path.includes('.'))
    .map((path) => recordField(item, path))
    .filter(({ kind }) => kind !== 'object')
    .map(({ path, kind, allowed }) => {
      const values = kind === 'boolean' ? ['true', 'false'] : allowed
      return values ? `${path}=${values.join('|')}` : path
    })
}

function flagsOf(words: string, command: Command): CompletionFlag[] {
  const fields = fieldFlags(command)
  return createParser(words, command)
    .options.filter((option) => !option.hidden)
    .flatMap((option) =>
      toFlags(
        option.flags,
        option.description,
        fields.find((field) => field.flags === option.flags)?.choices ?? option.argChoices,
      ),
    )
}

/**
 * Returns the table that completion uses. It is part of the same program as complete.ts, which has its form, so it may
 * change.
 */
export async function completionTable(): Promise<CompletionTable> {
  const nodes: Record<string, CompletionNode> = {}
  const lists: Record<string, string> = {}
  async function visit(path: string, children: Readonly<Record<string, Node>>): Promise<void> {
    const words = await Promise.all(
      Object.entries(children).map(
        async ([name, child]): Promise<CompletionWord> =>
          child.aliases ? [name, await summaryOf(child), child.aliases] : [name, await summaryOf(child)],
      ),
    )
    nodes[path] = { words }
    for (const [name, child] of Object.entries(children)) {
      const below = path === '' ? name : `${path} ${name}`
      if (child.load) {
        const command = await child.load()
        const list = await listOf(below, command, children)
        const values = valuesOfArgument[below]
        const { endpoint } = command
        if (
          endpoint &&
          (endpoint.items || name === 'list') &&
          !endpoint.params &&
          riskOf(command) === 'read' &&
          !command.argument
        )
          lists[endpoint.name] ??= below
        nodes[below] = {
          flags: flagsOf(below, command),
          ...(list !== undefined && { list }),
          ...(values && { values }),
          ...(command.isList && { fields: fieldsOf(below, command) }),
        }
      } else await visit(below, child.verbs)
    }
  }
  await visit('', tree)
  return {
    nodes,
    lists,
    globals: visibleGlobalFlags
      .filter((it) => !it.isStandalone)
      .map(({ flags, describe, choices }) => toFlag(flags, describe, choices)),
    listFlags: listFlags.map(({ flags, describe }) => toFlag(flags, describe, undefined)),
  }
}

/**
 * Returns the table as text by lines, because parsing only the needed line takes less time than parsing everything.
 * `nodeAt` of cli/reference/completion/complete.ts reads them.
 */
export const completionLines = ({ nodes, globals, lists, listFlags }: CompletionTable): string =>
  [
    '',
    ...Object.entries({ ...nodes, '*': { flags: globals, lists, parents: parentLists(), listFlags } }).map(
      ([path, node]) => `${path}\t${JSON.stringify(node)}`,
    ),
    '',
  ].join('\n')
