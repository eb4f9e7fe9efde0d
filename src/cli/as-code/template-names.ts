import { isNumericId } from '../../contract/references/step-references.ts'
import { messaging } from '../../contract/resources/messaging.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { pathId } from '../input/whole-id.ts'
import type { ReferencePlace } from './resource-names.ts'

interface ListedTemplate {
  readonly id: number
  readonly name: string
  readonly language: string
}

/** The name of a template in files. A name alone is not unique: each language has a template of its own. */
const nameWithLanguage = ({ name, language }: ListedTemplate): string => `${name} (${language})`

/** Maps templates to names and back, among the templates of their sender. Each list is read once, on first use. */
export class TemplateNames {
  readonly #context: Context
  readonly #lists = new Map<string, Promise<readonly ListedTemplate[]>>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Returns the name with the language; the value if it is not unique, or a name that the platform accepts. */
  async nameOf(value: unknown, sender: string, { takesName }: ReferencePlace): Promise<unknown> {
    const templates = await this.#of(sender)
    const found = isNumericId(value)
      ? templates.filter((it) => String(it.id) === String(value).trim())
      : takesName
        ? []
        : templates.filter((it) => it.name === value)
    const [only] = found
    if (found.length !== 1 || !only) return value
    const name = nameWithLanguage(only)
    return templates.filter((it) => nameWithLanguage(it) === name).length === 1 ? name : value
  }

  /**
   * Returns the id for a name with or without its language; undefined if there is none. A name without language that
   * the platform accepts is returned. @throws ClientFailure `usage` if several templates match
   */
  async idOf(name: string, sender: string, { takesName, path }: ReferencePlace, file: string): Promise<unknown> {
    const templates = await this.#of(sender)
    const exact = templates.filter((it) => nameWithLanguage(it) === name)
    const found = exact.length > 0 ? exact : templates.filter((it) => it.name === name)
    if (found.length > 0 && exact.length === 0 && takesName) return name
    if (found.length > 1)
      throw usageError(
        `${file}: ${path}: several templates of the sender are named "${name}": ${found.map((it) => `"${nameWithLanguage(it)}" ${it.id}`).join(', ')}.`,
        exact.length > 0 ? 'Use the id.' : 'Use the name with the language.',
      )
    return found[0]?.id
  }

  async #of(sender: string): Promise<readonly ListedTemplate[]> {
    const known = this.#lists.get(sender) ?? this.#read(sender)
    this.#lists.set(sender, known)
    return known
  }

  async #read(sender: string): Promise<readonly ListedTemplate[]> {
    return (await this.#context.call(messaging.templates, { senderId: pathId(sender), status: 'all' })).data
  }
}
