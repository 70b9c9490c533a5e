/** What a promise rejects with. */
export const thrownBy = async (promise: Promise<unknown>): Promise<unknown> => {
  const settled = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in settled) return settled.error
  throw new Error(`The promise was fulfilled with ${JSON.stringify(settled.value)}.`)
}
