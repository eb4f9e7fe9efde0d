import { languages } from '../../../contract/resources/languages.ts'
import type { CommandFlag, Invocation } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import type { Target } from '../resources/resource-descriptor.ts'
import { resolveId } from './resolve-target.ts'

/** Flag that accepts a code or name in place of `language_id`. */
export const languageFlag: CommandFlag = {
  flags: '--language <code>',
  describe: 'Code, name or id of a language, such as es, Spanish or 2',
  field: 'language_id',
}

/** Resolves --language to the field `language_id`. @throws ClientFailure `not_found` for an unknown language */
export async function readLanguageFlag(
  context: Context,
  flags: Invocation['flags'],
): Promise<{ language_id?: number }> {
  if (flags.language === undefined) return {}
  const given = String(flags.language)
  return { language_id: await resolveId(context, /^[A-Z]{2}$/.test(given) ? given.toLowerCase() : given, target) }
}

const target: Target = {
  singular: 'language',
  list: languages.list,
  by: ['iso_2', 'name'],
  label: (it) => String(it.name),
}
