import { expect, test } from 'vitest'
import { pieces } from '../../../src/engine/pieces/registry.ts'

/**
 * Actions that compute their output from their input alone. A test runs them, a run repeats them without a question, and
 * their steps are stored together. An action that is missing here counts as one with effects outside.
 */
test('these actions, and no others, reach nothing outside the run', () => {
  const internal = pieces.flatMap(({ names, actions }) =>
    Object.entries(actions)
      .filter(([, action]) => 'isInternal' in action && action.isInternal === true)
      .map(([name]) => `${names[0]} ${name}`),
  )
  expect(internal.sort()).toMatchInlineSnapshot(`
    [
      "approval create_approval_links",
      "approval wait_for_approval",
      "crypto base64-decode",
      "crypto base64-encode",
      "crypto generate-password",
      "crypto generate-uuid",
      "crypto hash-text",
      "crypto hmac-signature",
      "csv convert_csv_to_json",
      "csv convert_json_to_csv",
      "data-mapper advanced_mapping",
      "data-mapper chunk_array",
      "data-summarizer calculateAverage",
      "data-summarizer calculateSum",
      "data-summarizer countUniques",
      "data-summarizer getMinMax",
      "date-helper add_subtract_date",
      "date-helper date_difference",
      "date-helper extract_date_parts",
      "date-helper first_day_of_previous_month",
      "date-helper format_date",
      "date-helper get_current_date",
      "date-helper last_day_of_previous_month",
      "date-helper next_day_of_week",
      "date-helper next_day_of_year",
      "http return_response",
      "json convert_json_to_text",
      "json convert_text_to_json",
      "json merge_json",
      "json run_jq_query",
      "math-helper addition_math",
      "math-helper division_math",
      "math-helper generateRandom_math",
      "math-helper modulo_math",
      "math-helper multiplication_math",
      "math-helper subtraction_math",
      "platform respondToCall",
      "platform return_response",
      "subflows returnResponse",
      "text-helper concat",
      "text-helper defaultValue",
      "text-helper extract_from_html",
      "text-helper find",
      "text-helper find_all",
      "text-helper html_to_markdown",
      "text-helper json_to_ascii_table",
      "text-helper markdown_to_html",
      "text-helper replace",
      "text-helper slugify",
      "text-helper split",
      "text-helper stripHtml",
      "webhook return_response",
      "webhook return_response_and_wait_for_next_webhook",
    ]
  `)
})
