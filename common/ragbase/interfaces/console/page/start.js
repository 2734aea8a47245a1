// The console begins with this. If a module of it does not come, the connection broke, or the server has another
// version by now: a page that is loaded again has the addresses of that one.
import("./main.js").catch((error) => {
  setTimeout(() => location.reload(), 3000);
  throw error;
});
