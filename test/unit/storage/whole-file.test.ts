import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../../../controller/runtime/config-file.js';
import { unreadable } from '../../../storage/whole-file.js';

describe('a file read whole', () => {
  it('is refused at once where it would never end', () => {
    expect(unreadable('/dev/zero')).toBe('it is no regular file');
    expect(unreadable('/')).toBe('it is a folder');
    expect(unreadable('/no/such/file')).toBeNull();
  });

  it('is refused as a configuration, naming the file and the cause', () => {
    const read = readConfigFile('/dev/zero');
    expect(read).toMatchObject({
      ok: false,
      problems: [
        { file: '/dev/zero', cause: 'it cannot be read: it is no regular file; name a file' },
      ],
    });
  });
});
