// A view that the first one does not need: its module is loaded when somebody first goes there.
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Loading } from "./loading.js";
import { Wrong } from "./wrong.js";

// `load` is an import(), and `name` what the module calls the view.
export function later(load, name) {
  let view = null;
  return function Later(props) {
    const [state, setState] = useState({ view, failed: false });
    const begin = () => {
      setState({ view, failed: false });
      load().then(
        (module) => {
          view = module[name];
          setState({ view, failed: false });
        },
        () => setState({ view: null, failed: true }),
      );
    };
    useEffect(() => {
      if (!view) begin();
    }, []);
    if (state.view) return html`<${state.view} ...${props} />`;
    if (!state.failed) return html`<${Loading} />`;
    // The server does not answer, or has another version by now: then only a fresh page has the addresses.
    return html`<${Wrong} why=${t("offline")} again=${() => location.reload()} />`;
  };
}
