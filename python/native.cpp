// replait._native: the one extension module. Its Recorder is what the hooks of the Python package
// tell of each op of JAX's interpreter.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <exception>

#include "base/check.h"
#include "python_recorder.h"
#include "trace/hash.h"

namespace replait {
namespace {

namespace py = pybind11;

// An op's method takes number, agent and source as three plain arguments.
template <typename Result, typename... Arguments>
auto with_head(Result (PythonRecorder::*method)(const Head&, Arguments...)) {
  return [method](PythonRecorder& recorder, std::uint64_t number, std::uint32_t agent,
                  std::uint32_t source, Arguments... arguments) {
    return (recorder.*method)({.number = number, .agent = agent, .source = source}, arguments...);
  };
}

void translate_exceptions() {
  const py::module_ errors = py::module_::import("replait._errors");
  static PyObject* const replait_error = py::object(errors.attr("ReplaitError")).release().ptr();
  static PyObject* const internal_error = py::object(errors.attr("InternalError")).release().ptr();
  py::register_local_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const RecordingFailure& failure) {
      PyErr_SetString(replait_error, failure.what());
    } catch (const InternalError& fault) {
      PyErr_SetString(internal_error, fault.what());
    }
  });
}

std::uint64_t hash_bytes(const py::bytes& content) { return hash64(std::string_view(content)); }

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "The native part of replait: from told ops to a trace.";
  throw_on_failed_check(true);  // The process is the user's.
  translate_exceptions();
  using Rec = PythonRecorder;
  using Rows = Rec::Rows;
  py::class_<Rec>(module, "Recorder")
      .def(py::init<const std::string&, const std::string&, const std::string&, const std::string&,
                    const Rows&, const Rows&>(),
           py::arg("path"), py::kw_only(), py::arg("jax_version"), py::arg("program"),
           py::arg("values"), py::arg("options"), py::arg("environment"))
      .def_static("hash64", &hash_bytes)
      .def("launch", &Rec::launch)
      .def("thread", &Rec::thread)
      .def("source", &Rec::source)
      .def("name_semaphore", &Rec::name_semaphore)
      .def("enter", with_head(&Rec::enter))
      .def("exit", with_head(&Rec::exit))
      .def("grid_step", with_head(&Rec::grid_step))
      .def("allocate", with_head(&Rec::allocate))
      .def("free", with_head(&Rec::free))
      .def("read", with_head(&Rec::read))
      .def("write", with_head(&Rec::write))
      .def("swap", with_head(&Rec::swap))
      .def("create_semaphore", with_head(&Rec::create_semaphore))
      .def("signal", with_head(&Rec::signal))
      .def("wait", with_head(&Rec::wait))
      .def("issue_copy", with_head(&Rec::issue_copy))
      .def("copy_step", with_head(&Rec::copy_step))
      .def("arrive", with_head(&Rec::arrive))
      .def("await_barrier", with_head(&Rec::await_barrier))
      .def("check_semaphores", with_head(&Rec::check_semaphores))
      .def("refuse", with_head(&Rec::refuse))
      .def("raise_error", with_head(&Rec::raise_error))
      .def("events", &Rec::events)
      .def("finish", &Rec::finish)
      .def("discard", &Rec::discard);
}

}  // namespace replait
