import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of package.json, above both the sources and the compiled tests. */
export const ROOT = ((): string => {
  let folder = new URL('./', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder)
    if (above.href === folder.href) throw new Error('there is no package.json above the tests')
    folder = above
  }
  return fileURLToPath(folder)
})()
