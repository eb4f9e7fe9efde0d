import type { Layout } from '../../as-code/compare-folder.ts'
import { automationsById } from '../files.ts'

/** The command that shows the differences. */
export const automationDiffCommand = 'parley automate diff <id> --file <file>'

/**
 * Layout for automations alone: files lie in the folder itself and reference other resources by id, as in the other
 * automation commands.
 */
export const automationLayout: Layout = [['', automationsById]]
