/** What is wrong with a YAML text, and where: the parser's own words, whose last line is empty. */
export const yamlProblem = (error: unknown): string => (error as Error).message.trimEnd()
