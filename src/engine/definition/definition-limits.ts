/** Maximum number of steps of a definition. */
export const maxSteps = 500
/** Maximum nesting of branches and loops. */
export const maxNesting = 30
/** Maximum depth of the settings of a step. */
export const maxValueDepth = 64
/** Maximum length of a name or display name in characters. */
export const maxName = 255
/** Maximum size of a definition in bytes. */
export const maxBytes = 1024 * 1024
/** Maximum number of problems that are reported at once. */
export const maxProblems = 100
