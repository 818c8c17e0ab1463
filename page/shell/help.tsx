import { Dialog } from './dialog.tsx';
import { useKeyGroups } from './keys.ts';

/** Every key that works now, as the views have announced them. */
export function Help({ close }: { readonly close: () => void }) {
  const groups = useKeyGroups();
  return (
    <Dialog title="Keys" close={close}>
      <div className="help">
        {groups.map(({ title, bindings }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {bindings().map(({ key, says }) => (
                <div key={key}>
                  <dt>
                    <kbd>{KEY_NAMES[key] ?? key}</kbd>
                  </dt>
                  <dd>{says}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const KEY_NAMES: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space' };
