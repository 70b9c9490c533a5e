import type { Page } from 'playwright-core'

/** Fills in one form of the page, sends it, and waits for the next page. */
export const send = async (
  page: Page,
  form: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const scope = page.locator(`form[action="/${form}"]`).first()
  for (const [name, text] of Object.entries(fields)) await scope.locator(`input[name="${name}"]`).fill(text)
  await Promise.all([page.waitForEvent('load'), scope.getByRole('button').click()])
}

/** The problems that a form shows, by field. */
export const problems = async (page: Page, form: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await page.evaluate<ReadonlyArray<[string, string]>>(
      `[...document.querySelectorAll('form[action="/${form}"] strong')]
        .filter(({ innerText }) => innerText !== '').map(({ id, innerText }) => [id.split('-')[1], innerText])`,
    ),
  )

/** The names of the forms on the page that begin with this prefix. */
export const formsWith = (page: Page, prefix: string): Promise<ReadonlyArray<string>> =>
  page.evaluate(
    `[...document.forms].map((form) => form.getAttribute('action').slice(1)).filter((name) => name.startsWith('${prefix}'))`,
  )

export const shows = (page: Page, text: string): Promise<boolean> => page.getByText(text).isVisible()
