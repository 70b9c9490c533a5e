import type { Finding } from '../../application/ports/inspection.ts'
import type { Storage, StorageOptions } from '../../application/ports/storage.ts'
import { memory } from './memory/memory.ts'
import { NoStore } from './records/no-store.ts'

/** Of the settings, those that name the store. */
type StoreSettings = Readonly<{
  database:
    | Readonly<{ kind: 'memory' }>
    | Readonly<{ kind: 'sqlite'; path: string }>
    | Readonly<{ kind: 'postgres'; url: string; place: string }>
  databasePoolSize: number
  databaseDirectUrl: string | undefined
}>

/**
 * Opens the standard storage, which DATABASE_URL names. A module can wrap it and provide the result as `Dependency.storage`.
 *
 * @throws Error with one sentence for operators if the store cannot be used
 */
export const openStorage = async (
  settings: Pick<StoreSettings, 'database' | 'databasePoolSize'>,
  {
    clock,
    opening = 'migrate',
    countsOpen = 'at start',
    onCommitted = () => undefined,
    onServerRefused = () => undefined,
  }: StorageOptions,
): Promise<Storage> =>
  (await productOf(settings)).open({ clock, opening, countsOpen, onCommitted, onServerRefused })

/**
 * Whether there is a store. If an older version wrote it, it is migrated.
 *
 * @throws Error with one sentence for operators if that cannot be told
 */
export const hasStore = async (settings: Omit<StoreSettings, 'databaseDirectUrl'>): Promise<boolean> => {
  try {
    await (await productOf(settings)).expectStore()
    return true
  } catch (error) {
    if (error instanceof NoStore) return false
    throw error
  }
}

/** Checks the file or server of the store without opening the store. */
export const inspectStore = async (settings: StoreSettings): Promise<ReadonlyArray<Finding>> =>
  (await productOf(settings)).inspect(settings.databaseDirectUrl)

/**
 * Copies the store into a new file.
 *
 * @throws Error with one sentence for operators
 */
export const backUpStore = async (settings: StoreSettings, file: string): Promise<void> =>
  (await productOf(settings)).backUp(file)

type Product = Readonly<{
  open(options: Required<StorageOptions>): Storage | Promise<Storage>
  /** @throws NoStore */
  expectStore(): void | Promise<void>
  inspect(directUrl: string | undefined): ReadonlyArray<Finding> | Promise<ReadonlyArray<Finding>>
  backUp(file: string): void
}>

/** Opens, inspects and copies the store that DATABASE_URL names. The driver of its product loads here. */
const productOf = async ({
  database,
  databasePoolSize,
}: Pick<StoreSettings, 'database' | 'databasePoolSize'>): Promise<Product> => {
  switch (database.kind) {
    case 'memory':
      return memory()
    case 'sqlite':
      return (await import('./sqlite/sqlite.ts')).sqlite(database.path)
    case 'postgres':
      return (await import('./postgres/postgres.ts')).postgres(database, databasePoolSize)
  }
}
