import { messaging } from '../../../contract/resources/messaging.ts'
import { templateValueProblem } from '../../../contract/values/template-value.ts'
import { type CommandInput, type Invocation, repeatedFlag } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { parseVariables } from '../../input/parse-variables.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { templateTarget } from './view.ts'

/** Returns the content of a template message: template id and variables. Prompts for missing values on a terminal. */
export async function templateContent(
  context: Context,
  senderId: number,
  { flags, input }: Pick<Invocation, 'flags' | 'input'>,
): Promise<CommandInput> {
  const { sender_id: _sender, recipient_phone: _recipient, template_id, variables, ...rest } = input
  const named = flags.template ?? template_id
  const id = await resolveId(
    context,
    named === undefined ? undefined : String(named),
    templateTarget(senderId),
    '--template',
  )
  const given = {
    ...(variables as Record<string, string> | undefined),
    ...parseVariables(repeatedFlag(flags, 'var'), 'Use the number or name of a placeholder: --var 1=Anna.'),
  }
  const values =
    Object.keys(given).length === 0 && context.interactive ? await promptVariables(context, senderId, id) : given
  for (const [name, value] of Object.entries(values)) {
    const problem = templateValueProblem(String(value))
    if (problem !== undefined)
      throw usageError(
        `The value of placeholder ${name} contains ${problem}. The channel does not accept that in a template.`,
        'Replace it with a single space, or use several placeholders.',
      )
  }
  return { template_id: id, ...rest, ...(Object.keys(values).length > 0 && { variables: values }) }
}

async function promptVariables(context: Context, senderId: number, id: number): Promise<Record<string, string>> {
  const { data } = await context.call(messaging.templates, { senderId, status: 'all' })
  const template = data.find((it) => it.id === id)
  const values: Record<string, string> = {}
  if (!template?.has_variables) return values
  const prompts = await context.prompts()
  await context.notes.note(template.body_text)
  for (const name of template.variables) {
    values[name] = await prompts.input(`${name}:`, {
      validate: (value) => value !== '' || 'Enter a value.',
    })
    recordFlag(context, '--var', `${name}=${values[name]}`)
  }
  return values
}
