import { programPage } from '../../../generated/program-page.ts'
import { parseJson } from '../../../node/json.ts'
import type { System } from '../../program/system.ts'
import { type HelpPage, renderHelpPage } from './render-page.ts'

/** Prints the help of the program, without loading the pages of its commands. */
export const printProgramPage = ({ streams: { stdout } }: System): Promise<void> | void =>
  stdout.write(renderHelpPage(parseJson(programPage) as HelpPage, stdout.columns))
