import { useEffect, useRef, useState } from 'preact/hooks';
import { isWhoView, type WhoView } from '../../access/who-view.js';
import { ask, errorText } from './service.js';

interface LoginProps {
  readonly enter: (who: WhoView) => void;
}

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

/** Name and password. Sent by script: the page lets no form be sent anywhere by itself. */
export const LoginPage = ({ enter }: LoginProps) => {
  const [error, setError] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Log in · Cutcard';
    name.current?.focus();
  }, []);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const fields = new FormData(form);
    setIsAsking(true);
    const answer = await ask('/api/login', {
      name: textOf(fields, 'name').trim(),
      password: textOf(fields, 'password'),
    });
    setIsAsking(false);
    if (isWhoView(answer.body)) {
      enter(answer.body);
      return;
    }
    setError(errorText(answer, 'The table does not answer. Try again.'));
    const password = form.elements.namedItem('password');
    if (password instanceof HTMLInputElement) {
      password.value = '';
      password.focus();
    }
  };
  return (
    <main id="main" class="login">
      <form
        class="panel"
        aria-labelledby="login-title"
        onSubmit={(event) => {
          event.preventDefault();
          void send(event.currentTarget);
        }}
      >
        <h1 id="login-title">Log in to this table</h1>
        <label>
          Name
          <input ref={name} name="name" autocomplete="username" required maxLength={64} />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autocomplete="current-password"
            required
            maxLength={128}
          />
        </label>
        {error !== '' && (
          <p class="said said-refused" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="key key-next" disabled={isAsking}>
          {isAsking ? 'Asking…' : 'Log in'}
        </button>
      </form>
    </main>
  );
};
